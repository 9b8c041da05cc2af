import { chmod, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Sandbox, startSandbox } from "../../../sandbox/index.js";
import { createDuckDb } from "../../../src/lake/sql/duckdb.js";
import { parquetFiles } from "../../../src/lake/sql/duckdb-files.js";
import { temporaryScratch } from "../../../src/lake/sql/scratch.js";
import { KYB_TABLES } from "../../../src/lake/tables/kyb.js";
import { openClusterFolder } from "../../helpers/command/cluster-folder.js";
import { runHere, sayHere } from "../../helpers/command/command-here.js";
import type { JobFolder } from "../../helpers/command/job-folder.js";
import { rowsOf, withLake } from "../../helpers/lake/lake-audit.js";
import { sharedTemporal } from "../../helpers/temporal/shared-temporal.js";

const CIP = ["export", "cip", "--roster", "users.csv", "--approver", "c@bank.example", "--no-pdf"];

let sandbox: Sandbox;
let folder: JobFolder;
beforeEach(async () => {
  sandbox = await startSandbox({
    population: { kind: "synthetic", users: 4, linksPerUser: 0 },
    ...{ businesses: 5, businessOnboardings: 2, clock: { frozen: true } },
  });
  folder = await openClusterFolder(sandbox, sharedTemporal());
  await write("businesses.csv", [
    "fp_bid,fp_id",
    ...businesses().map((id, at) => `${id},${at === 0 ? "fp_id_00001" : ""}`),
  ]);
});
afterEach(async () => {
  await folder?.release();
  await sandbox?.close();
});

const businesses = () => sandbox.businesses.list().map(({ id }) => id);
const write = (name: string, lines: readonly string[]) =>
  writeFile(join(folder.directory, name), `${lines.join("\n")}\n`);
const run = (...args: string[]) => sayHere(folder, ...args);
const linesOf = async (pack: string, name: string) =>
  (await readFile(join(pack, name), "utf8")).trim().split("\r\n");

test("one pack of people and businesses: the same rows as the tables, proved by verify", async () => {
  const { code, said } = await run(...CIP, "--kyb", "businesses.csv");
  expect({ code, said }).toMatchObject({
    code: 0,
    said: { status: "completed", rows: { total: 9, failed: 0 }, exported: 4, failed: 0, excluded: 0 },
  });
  const lines = await linesOf(said.export, "businesses.csv");
  expect(lines.slice(1).map((line) => line.split(",")[0])).toEqual(businesses());
  expect(lines[1]).toMatch(/^fp_bid_00001,,fp_id_00001,(exported|empty),/);
  const manifest = JSON.parse(await readFile(join(said.export, "manifest.json"), "utf8"));
  expect(manifest.counts).toEqual({ population: 4, exported: 4, failed: 0, excluded: 0 });
  expect(manifest.facts.businesses).toMatchObject({ rows: 5, failed: 0, excluded: 0 });
  const duckdb = createDuckDb({ scratchDirectory: await temporaryScratch() });
  try {
    await withLake(folder.lake, async (query) => {
      for (const { name } of KYB_TABLES) {
        const asText = (from: string) =>
          `select r::varchar as row from (select * from ${from}) r order by row`;
        const inLake = await rowsOf(query, asText(name));
        const packed = asText(parquetFiles([join(said.export, `${name}.parquet`)]));
        expect(await duckdb.exclusive((sql) => sql.few(packed)), name).toEqual(inLake);
        const { rows } = manifest.files.find(({ path }: { path: string }) => path === `${name}.parquet`);
        expect(inLake.length, name).toBe(rows);
      }
    });
  } finally {
    await duckdb.close();
  }
  expect(await run("verify", said.export)).toMatchObject({ code: 0, said: { ok: true } });
  const page = await readFile(join(said.export, "report.html"), "utf8");
  expect(page).toContain('<h2 id="businesses">Businesses</h2>');
  for (const id of businesses()) expect(page).toContain(id);
  const file = join(said.export, "businesses.csv");
  await chmod(file, 0o600);
  await writeFile(file, (await readFile(file, "utf8")).replace("exported", "empty   "));
  expect(await run("verify", said.export)).toMatchObject({ code: 1 });
});

test("without --kyb the pack has no file of businesses", async () => {
  const { said } = await run(...CIP);
  expect((await readdir(said.export)).filter((name) => name.startsWith("business"))).toEqual([]);
  const manifest = JSON.parse(await readFile(join(said.export, "manifest.json"), "utf8"));
  expect(manifest.facts).not.toHaveProperty("businesses");
});

test("a business that failed is in the pack with its reason; a retry makes an amended pack and asks for it alone", async () => {
  const fault = sandbox.addFault({
    kind: "status",
    status: 400,
    operation: "list_business_onboardings",
    business: "fp_bid_00002",
  });
  const failed = await run(...CIP, "--kyb", "businesses.csv");
  const place = { file: "businesses file", file_line: 3 };
  expect(failed).toMatchObject({
    code: 1,
    // The second line of the file of businesses counts on after the roster's fifth.
    said: {
      exported: 4,
      failed: 0,
      failures: [{ line: 8, owner: "fp_bid_00002", reason: "refused http_400", ...place }],
      businesses: { exported: 4, empty: 0, failed: 1, excluded: 0 },
    },
  });
  const [, , line = ""] = await linesOf(failed.said.export, "businesses.csv");
  expect(line).toBe(
    `fp_bid_00002,,,failed,refused http_400,nightledger runs retry ${failed.said.run_id},0,0,0`,
  );
  sandbox.removeFault(fault);
  sandbox.clearRequests();
  const amended = await run("runs", "retry", failed.said.run_id);
  expect(amended).toMatchObject({ code: 0, said: { rows: { total: 9, failed: 0 }, exported: 4 } });
  expect(sandbox.requests({ operation: "create_cip_report" })).toEqual([]);
  expect(sandbox.requests({ operation: "list_business_onboardings" }).length).toBe(1);
  const manifest = JSON.parse(await readFile(join(amended.said.export, "manifest.json"), "utf8"));
  expect(manifest).toMatchObject({
    amends: failed.said.run_id,
    facts: { businesses: { rows: 5, failed: 0 } },
  });
});

test("wrong rows of both files by line, and with --continue-invalid in the pack as excluded", async () => {
  await write("users.csv", ["fp_id,risk", "fp_id_00001,high", ",low"]);
  await write("businesses.csv", ["fp_bid,fp_id", "fp_bid_00001,", "fp_bid_00001,", "fp_bid_00002,.."]);
  const judged = await run(...CIP, "--kyb", "businesses.csv", "--validate-only");
  expect(judged).toMatchObject({
    code: 2,
    said: {
      rows: { total: 2, invalid: 1 },
      problems: [{ line: 3, column: "fp_id" }],
      kyb: {
        rows: { total: 3, invalid: 2 },
        problems: [
          { line: 3, column: "fp_bid" },
          { line: 4, column: "fp_id" },
        ],
      },
    },
  });
  await write("users.csv", ["fp_id,risk", "fp_id_00001,high"]);
  const refused = await run(...CIP, "--kyb", "businesses.csv");
  expect(refused.code).toBe(2);
  expect(refused.said.error.message).toMatch(/^businesses file businesses\.csv: 2 problems/);
  const { said } = await run(...CIP, "--kyb", "businesses.csv", "--continue-invalid");
  expect(said).toMatchObject({ rows: { total: 4, invalid: 2 }, excluded: 0, exported: 1 });
  const lines = await linesOf(said.export, "businesses.csv");
  expect(lines).toHaveLength(4);
  expect(lines.slice(2)).toEqual([
    "(line 3) fp_bid_00001,,,excluded,wrong row: column fp_bid is the same as in line 2,fix the row and export it,0,0,0",
    "(line 4) fp_bid_00002,,,excluded,wrong row: column fp_id is a relative path,fix the row and export it,0,0,0",
  ]);
});

test("export kyb is a command, and its run is shown and listed", async () => {
  sandbox.businesses.add({ fp_bid: "fp_bid_new" });
  await write("businesses.csv", ["fp_bid", ...businesses()]);
  const { code, said } = await run("export", "kyb", "--businesses", "businesses.csv");
  expect({ code, said }).toMatchObject({
    code: 0,
    said: { job: "kyb", status: "completed", rows: { total: 6, skipped: 1 } },
  });
  const skipped = { status: "skipped", reason: "no_onboarding", count: 1, examples: ["fp_bid_new"] };
  const shown = await run("runs", "show", said.run_id);
  expect(shown.said).toMatchObject({ run_id: said.run_id, kind: "kyb", findings: [skipped] });
  const { stdout } = await runHere(folder, ["runs", "show", said.run_id]);
  expect(stdout).toContain("counts    6 businesses, 1 skipped\n");
  const pack = await run(...CIP, "--kyb", "businesses.csv");
  expect((await run("runs", "show", pack.said.run_id)).said).toMatchObject({ findings: [skipped] });
  const listed = await run("runs", "list");
  expect(JSON.stringify(listed.said)).toContain(said.run_id);
});
