import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { describe, expect, test } from "vitest";
import { type Sandbox, startSandbox } from "../../../sandbox/index.js";
import { openClusterFolder } from "../../helpers/command/cluster-folder.js";
import { runHere } from "../../helpers/command/command-here.js";
import type { JobFolder } from "../../helpers/command/job-folder.js";
import { copyWithPython, findDeltaPython } from "../../helpers/lake/delta-reader.js";
import { sharedTemporal } from "../../helpers/temporal/shared-temporal.js";

const python = findDeltaPython();
const TEXTS = "select columns(*)::varchar from";
const POPULATION = { kind: "synthetic", users: 8, linksPerUser: 2, accountsPerLink: 2, rows: 150 } as const;
const WORLD = { seed: 11, population: POPULATION, investments: 120, businesses: 5, businessOnboardings: 2 };
const TRANSFORMS = ["--transforms", "suffix(2)"];
const JOBS: readonly (readonly string[])[] = [
  ["sync", "--roster", "users.csv"],
  ["reconcile", "--roster", "users.csv"],
  ["export", "kyb", "--businesses", "businesses.csv"],
  ["export", "cip", "--roster", "users.csv", "--approver", "ops@bank.example"],
  ["export", "vault", "--roster", "users.csv", "--fields", "id.email", "--reason", "r", ...TRANSFORMS],
  ["vault", "write", "--file", "values.csv"],
];
/** Tables that these jobs fill. */
const FILLED = [
  ...["transaction_changes", "transactions", "accounts", "bank_links", "link_syncs"],
  ...["investment_transaction_changes", "investment_transactions", "security_changes", "securities"],
  ...["runs", "reconciliations", "business_insights", "business_registration_officers", "cip_reports"],
  ...["vault_values", "vault_writes"],
];

async function runJobs(sandbox: Sandbox, folder: JobFolder) {
  const run = async (args: readonly string[]) => {
    const { code, stdout, stderr } = await runHere(folder, [...args, "--json"]);
    expect([0, 1], `${args.join(" ")}: ${stderr}`).toContain(code);
    return JSON.parse(stdout);
  };
  const write = (name: string, lines: readonly string[]) =>
    writeFile(join(folder.directory, name), lines.join("\n"));
  const users = [...sandbox.world.users.keys()];
  await write("businesses.csv", ["fp_bid", ...sandbox.businesses.list().map(({ id }) => id)]);
  await write("values.csv", ["fp_id,id.first_name", ...users.map((fp_id) => `${fp_id},Ada`)]);
  const everything = "accounts,bank_links,transactions,investment_transactions,securities";
  await run(["sync", "--roster", "users.csv", "--streams", everything]);
  for (const { id } of sandbox.links()) {
    sandbox.investments.change(id, { created: 5, updated: 5, removed: 5, days: 30 });
  }
  sandbox.advance({ created: 6, updated: 6, removed: 4, posted: 4 });
  await run(["sync", "--roster", "users.csv", "--streams", everything]);
  for (const job of JOBS) await run(job);
  return run;
}

describe.skipIf(python === undefined)("a second reader (deltalake and Polars; skipped without them)", () => {
  test("reads in each table of each job the values that `query` gives, and finds them by each column", async () => {
    const sandbox = await startSandbox(WORLD);
    try {
      const folder = await openClusterFolder(sandbox, sharedTemporal());
      const duckdb = await DuckDBInstance.create();
      try {
        const run = await runJobs(sandbox, folder);
        const connection = await duckdb.connect();
        const tables = (await readdir(folder.lake)).filter((name) => !/^_|\./.test(name)).sort();
        const filled: string[] = [];
        for (const table of tables) {
          const copy = join(folder.directory, `${table}.parquet`);
          const wrongFilters = await copyWithPython(python as string, join(folder.lake, table), copy);
          expect(wrongFilters, table).toEqual([]);
          const answer = await connection.runAndReadAll(`${TEXTS} read_parquet('${copy}') order by all`);
          const theirs = answer.getRowObjectsJson();
          const items = await run(["query", `${TEXTS} ${table} order by all`]);
          expect(theirs, table).toEqual(items);
          if (theirs.length > 0) filled.push(table);
        }
        connection.closeSync();
        expect(filled).toEqual(expect.arrayContaining(FILLED));
      } finally {
        duckdb.closeSync();
        await folder.release();
      }
    } finally {
      await sandbox.close();
    }
  });
});
