import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Sandbox, startSandbox } from "../../../sandbox/index.js";
import { Random } from "../../../sandbox/world/random.js";
import type { BulkSummary } from "../../../src/domain/bulk/bulk-totals.js";
import { endProcess } from "../../../src/temporal/server/server-process.js";
import { type JobFolder, openJobFolder } from "../command/job-folder.js";
import type { TrialReport } from "../kill/kill-trial.js";
import { rowsOf, withLake } from "../lake/lake-audit.js";
import { holding } from "../onboarding/planted-texts.js";

/** What is killed: the command, which is the worker too, or Temporal with it. */
const VICTIMS = ["the command", "Temporal", "both"] as const;
const ARGS = ["export", "cip", "--roster", "users.csv", "--approver", "ops@bank.example", "--json"];
/** Kills begin within so many milliseconds after the run is told: an undisturbed one takes about as long. */
const WITHIN_MS = 5_000;
const MOST_COMMANDS = 60;

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
    const told: string[] = [];
    let summary: BulkSummary | undefined;
    for (let command = 0; summary === undefined && command < MOST_COMMANDS; command += 1) {
      const child = folder.command(ARGS);
      if (told.length < kills) {
        await Promise.race([child.says(/^(joined )?run /m), child.ended]);
        const after = Math.floor(random.next() * WITHIN_MS);
        const stop = new AbortController();
        const wait = sleep(after, undefined, { signal: stop.signal }).catch(() => undefined);
        await Promise.race([wait, child.ended]);
        stop.abort();
        if (child.running()) {
          const victim = random.pick(VICTIMS);
          told.push(`${victim} after ${after} ms`);
          for (const server of victim === "the command" ? [] : folder.servers()) await endProcess(server, 0);
          if (victim !== "Temporal") await child.end("SIGKILL");
        }
      }
      const { code, stdout, stderr } = await child.ended;
      if (code === 0) summary = JSON.parse(stdout) as BulkSummary;
      else if (code !== null && code !== 3) throw new Error(`exit ${code}: ${stderr}`);
    }
    const problems = await problemsOf(folder, sandbox, summary);
    return { kills: told, killed: told.length, problems };
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
