import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Sandbox } from "../../../sandbox/index.js";
import type { BulkSummary } from "../../../src/domain/bulk/bulk-totals.js";
import type { JobFolder } from "../command/job-folder.js";
import { rowsOf, withLake } from "../lake/lake-audit.js";
import type { KilledJob } from "./bulk-trial.js";
import { inTheClear, notEnded } from "./kyb-trial.js";

const USERS = 200;

/** An export of CIP reports: packs, tables and the reports that the stand-in made are compared. */
export const KILLED_CIP: KilledJob = {
  kind: "cip",
  sandbox: {
    population: { kind: "synthetic", users: USERS, linksPerUser: 0, accountsPerLink: 0, rows: 0 },
  },
  slow: "create_cip_report",
  args: [...["export", "cip", "--roster", "users.csv"], ...["--approver", "ops@bank.example", "--json"]],
  problemsOf: (folder, sandbox, summary) => cipProblems(folder, sandbox, summary),
};

/** Compares packs and tables with the reports that the stand-in made. */
export async function cipProblems(
  folder: JobFolder,
  sandbox: Sandbox,
  summary: BulkSummary,
): Promise<string[]> {
  const problems = notEnded(summary, USERS);
  const users = [...sandbox.world.users.keys()];
  const base = join("_exports", "cip");
  const packs = await readdir(join(folder.lake, base));
  const { NIGHTLEDGER_LAKE: lake = folder.lake } = folder.env;
  // A command may be killed right after its run has ended: the next one is another export.
  for (const pack of packs) {
    if (pack.startsWith(".")) problems.push(`${pack} was left`);
    const { code, stderr } = await folder.command(["verify", `${lake}/${base}/${pack}`]).ended;
    if (code !== 0) problems.push(`${pack}: ${stderr}`);
  }
  await withLake(folder.lake, async (query) => {
    const runs = await rowsOf(
      query,
      "select run_id, count(*)::int n, count(distinct fp_id)::int people from cip_reports group by all",
    );
    for (const { run_id, n, people } of runs) {
      if (n !== users.length || people !== users.length)
        problems.push(`${run_id}: ${n} rows, ${people} people`);
    }
    if (runs.length !== packs.length) problems.push(`${packs.length} packs, rows of ${runs.length} runs`);
    const asked = await rowsOf(query, "select fp_id, sum(asked)::int asked from cip_reports group by all");
    for (const { fp_id, asked: said } of asked) {
      const made = sandbox.cip.made(String(fp_id)).length;
      if (made > Number(said)) problems.push(`${fp_id}: ${made} reports were made, the outcome says ${said}`);
    }
  });
  const secrets = sandbox.cip.made().flatMap(({ report }) => {
    const { tax_id, date_of_birth } = report.checked_data as { tax_id?: string; date_of_birth: string };
    return tax_id === undefined ? [date_of_birth] : [tax_id, date_of_birth];
  });
  problems.push(...(await inTheClear(folder, [...new Set(secrets)])));
  return problems;
}
