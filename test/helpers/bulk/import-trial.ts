import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { rowsOf, withLake } from "../lake/lake-audit.js";
import type { KilledJob } from "./bulk-trial.js";

const CALL = { operation: "import_transactions" } as const;
const LINKS = ["l1", "l2", "l3"];
const ROWS = Array.from({ length: 400 }, (_, at) => ({
  link: LINKS[at % LINKS.length] as string,
  amount: `${at}.25`,
}));

/** An import whose answers get lost and whose chunks are taken in part: each row is in the service once, and the lake says so. */
export const KILLED_IMPORT: KilledJob = {
  kind: "import",
  sandbox: { latencyMs: 80 },
  args: ["import", "--transactions", "rows.csv", "--chunk", "5", "--json"],
  async prepare({ directory }, sandbox) {
    for (const id of LINKS) sandbox.addLink({ fp_id: "u", id, accounts: [{ id: `a-${id}` }] });
    sandbox.addFault({ ...CALL, kind: "status", status: 504, afterEffect: true, every: 17 });
    sandbox.addFault({ ...CALL, kind: "partial_import", rows: 2, every: 23 });
    sandbox.addFault({ ...CALL, kind: "partial_import", rows: 3, status: 422, every: 7 });
    const lines = ROWS.map(({ link, amount }) => `${link},a-${link},${amount},2026-11-02`);
    await writeFile(join(directory, "rows.csv"), ["link_id,account_id,amount,date", ...lines, ""].join("\n"));
  },
  async problemsOf({ lake }, sandbox, { status }) {
    const times = new Map(ROWS.map(({ link, amount }) => [`${link} ${amount}`, 0]));
    for (const link of LINKS) {
      for (const { values } of sandbox.truth(link).rows) {
        const row = `${link} ${values?.amount}`;
        times.set(row, (times.get(row) ?? 0) + 1);
      }
    }
    const problems = [...times].flatMap(([row, n]) => (n === 1 ? [] : [`${row} is there ${n} times`]));
    const sql = "select count(*)::int n from transaction_imports where status = 'accepted'";
    const [accepted] = await withLake(lake, (query) => rowsOf(query, sql));
    if (status !== "completed") problems.push(`the run is ${status}`);
    if (accepted?.n !== ROWS.length) problems.push(`${accepted?.n} rows are said to be accepted`);
    return problems;
  },
};
