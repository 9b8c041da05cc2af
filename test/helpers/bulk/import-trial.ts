import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { startSandbox } from "../../../sandbox/index.js";
import { Random } from "../../../sandbox/world/random.js";
import { openJobFolder } from "../command/job-folder.js";
import type { TrialReport } from "../kill/kill-trial.js";
import { rowsOf, withLake } from "../lake/lake-audit.js";
import { runKilledJob } from "./killed-job.js";

const CALL = { operation: "import_transactions" } as const;
const ARGS = ["import", "--transactions", "rows.csv", "--chunk", "5", "--json"];
const LINKS = ["l1", "l2", "l3"];
const ROWS = 400;

/**
 * Imports a file with kills at moments of its seed, while answers get lost and chunks are taken in part; the command is
 * run again until its run has ended. Each row of the file is in the service once, and the lake says so.
 */
export async function runImportTrial(seed: number, kills: number): Promise<TrialReport> {
  const random = new Random(`import/${seed}`);
  const sandbox = await startSandbox({ latencyMs: 80 });
  for (const id of LINKS) sandbox.addLink({ fp_id: "u", id, accounts: [{ id: `a-${id}` }] });
  sandbox.addFault({ ...CALL, kind: "status", status: 504, afterEffect: true, every: 17 });
  sandbox.addFault({ ...CALL, kind: "partial_import", rows: 2, every: 23 });
  sandbox.addFault({ ...CALL, kind: "partial_import", rows: 3, status: 422, every: 7 });
  const folder = await openJobFolder(sandbox, { NIGHTLEDGER_API_CONCURRENCY: "3" });
  try {
    const rows = Array.from({ length: ROWS }, (_, at) => ({
      link: LINKS[at % LINKS.length] as string,
      amount: `${at}.25`,
    }));
    const lines = rows.map(({ link, amount }) => `${link},a-${link},${amount},2026-11-02`);
    await writeFile(
      join(folder.directory, "rows.csv"),
      ["link_id,account_id,amount,date", ...lines, ""].join("\n"),
    );
    const { kills: told, summary } = await runKilledJob(folder, ARGS, random, kills);
    if (summary === undefined) return { kills: told, problems: ["the command never ended its run"] };
    const there = LINKS.flatMap((link) =>
      sandbox.truth(link).rows.map(({ values }) => `${link} ${values?.amount}`),
    );
    const problems = differences(
      rows.map(({ link, amount }) => `${link} ${amount}`),
      there,
    );
    const sql = "select count(*)::int n from transaction_imports where status = 'accepted'";
    const [accepted] = await withLake(folder.lake, (query) => rowsOf(query, sql));
    if (summary.status !== "completed") problems.push(`the run is ${summary.status}`);
    if (accepted?.n !== ROWS) problems.push(`${accepted?.n} rows are said to be accepted`);
    return { kills: told, problems };
  } finally {
    await folder.release();
    await sandbox.close();
  }
}

/** Rows that are missing, and those that are there too often. */
function differences(file: readonly string[], there: readonly string[]): string[] {
  const times = new Map(file.map((row) => [row, 0]));
  for (const row of there) times.set(row, (times.get(row) ?? 0) + 1);
  return [...times].flatMap(([row, n]) => (n === 1 ? [] : [`${row} is there ${n} times`]));
}
