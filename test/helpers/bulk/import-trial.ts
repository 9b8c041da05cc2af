import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startSandbox } from "../../../sandbox/index.js";
import { Random } from "../../../sandbox/world/random.js";
import { openJobFolder } from "../command/job-folder.js";

const CALL = { operation: "import_transactions" } as const;
const ARGS = ["import", "--transactions", "rows.csv", "--chunk", "5", "--json"];
const LINKS = ["l1", "l2", "l3"];
const ROWS = 400;

/** What a trial found. */
interface ImportTrial {
  /** Commands that were killed while their import was running. */
  readonly killed: number;
  readonly code: number | null;
  /** Of the file, and what the stand-in has of them: each as `link amount`, sorted. */
  readonly file: readonly string[];
  readonly there: readonly string[];
  /** What the lake says: rows by status, over all runs. */
  readonly ledger: readonly { readonly status: string; readonly n: number }[];
}

/**
 * Imports a file with a command that is killed again and again, with its worker, after a random number of requests,
 * while answers get lost and chunks are taken in part; the last command runs until it ends.
 */
export async function runImportTrial(seed: number, kills: number): Promise<ImportTrial> {
  const random = new Random(`import/${seed}`);
  const sandbox = await startSandbox({ latencyMs: 20 });
  for (const id of LINKS) sandbox.addLink({ fp_id: "u", id, accounts: [{ id: `a-${id}` }] });
  sandbox.addFault({ ...CALL, kind: "status", status: 504, afterEffect: true, every: 17 });
  sandbox.addFault({ ...CALL, kind: "partial_import", rows: 2, every: 23 });
  const folder = await openJobFolder(sandbox, { NIGHTLEDGER_API_CONCURRENCY: "3" });
  try {
    const rows = Array.from({ length: ROWS }, (_, at) => ({
      link: LINKS[at % LINKS.length],
      amount: `${at}.25`,
    }));
    const lines = rows.map(({ link, amount }) => `${link},a-${link},${amount},2026-11-02`);
    await writeFile(
      join(folder.directory, "rows.csv"),
      ["link_id,account_id,amount,date", ...lines, ""].join("\n"),
    );
    let killed = 0;
    while (killed < kills) {
      const asked = sandbox.waitForRequests(1 + random.int(4), CALL);
      const command = folder.command(ARGS);
      const first = await Promise.race([asked.then(() => "asked" as const), command.ended]);
      if (first !== "asked") break;
      await sleep(random.int(60));
      if (!command.running()) break;
      await command.end("SIGKILL");
      killed += 1;
    }
    const { code } = await folder.command(ARGS).ended;
    const sql =
      "select status, count(*)::integer as n from transaction_imports group by status order by status";
    const { stdout } = await folder.command(["query", "--json", sql]).ended;
    return {
      killed,
      code,
      file: rows.map(({ link, amount }) => `${link} ${amount}`).sort(),
      there: LINKS.flatMap((link) =>
        sandbox.truth(link).rows.map(({ values }) => `${link} ${values?.amount}`),
      ).sort(),
      ledger: JSON.parse(stdout),
    };
  } finally {
    await folder.release();
    await sandbox.close();
  }
}
