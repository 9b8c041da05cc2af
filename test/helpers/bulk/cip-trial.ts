import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { type Sandbox, startSandbox } from "../../../sandbox/index.js";
import { Random } from "../../../sandbox/world/random.js";
import type { BulkSummary } from "../../../src/domain/bulk/bulk-totals.js";
import { type JobFolder, openJobFolder } from "../command/job-folder.js";
import type { TrialReport } from "../kill/kill-trial.js";
import { rowsOf, withLake } from "../lake/lake-audit.js";
import { holding } from "../onboarding/planted-texts.js";
import { runKilled } from "./killed-command.js";

const ARGS = [
  "export",
  "cip",
  "--roster",
  "users.csv",
  "--approver",
  "ops@bank.example",
  "--no-pdf",
  "--json",
];

interface CipTrial {
  readonly seed: number;
  readonly users: number;
  readonly kills: number;
}

/**
 * One export with kills at moments of its seed; the command is run again until it completes. Packs, tables and the
 * reports that the stand-in made are compared.
 */
export async function runCipTrial({ seed, users, kills }: CipTrial): Promise<TrialReport> {
  const random = new Random(`cip/${seed}`);
  const sandbox = await startSandbox({
    seed,
    latencyMs: 60,
    population: { kind: "synthetic", users, linksPerUser: 0, accountsPerLink: 0, rows: 0 },
  });
  // So long that a kill comes between a report and its answer.
  const slow = { kind: "slow", chunkBytes: 200, intervalMs: 200, probability: 0.2, seed } as const;
  sandbox.addFault({ ...slow, operation: "create_cip_report" });
  const folder = await openJobFolder(sandbox, { NIGHTLEDGER_API_CONCURRENCY: "4" });
  try {
    const { told, summary } = await runKilled(folder, ARGS, { random, kills, code: 0 });
    const problems = await problemsOf(folder, sandbox, summary);
    return { kills: told, problems };
  } finally {
    await folder.release();
    await sandbox.close();
  }
}

async function problemsOf(
  folder: JobFolder,
  sandbox: Sandbox,
  summary: BulkSummary | undefined,
): Promise<string[]> {
  if (summary === undefined) return ["the command never completed"];
  const problems: string[] = [];
  const users = [...sandbox.world.users.keys()];
  if (summary.rows.done !== users.length) problems.push(`${summary.rows.done} of ${users.length} are done`);
  const base = join(folder.lake, "_exports", "cip");
  const packs = await readdir(base);
  // A command may be killed right after its run has ended: the next one is another export.
  for (const pack of packs) {
    if (pack.startsWith(".")) problems.push(`${pack} was left`);
    const { code, stderr } = await folder.command(["verify", join(base, pack)]).ended;
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
  for (const place of await holding(folder.directory, [...new Set(secrets)]))
    problems.push(`in the clear: ${place}`);
  return problems;
}
