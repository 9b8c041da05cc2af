import { type Sandbox, startSandbox } from "../../../sandbox/index.js";
import { Random } from "../../../sandbox/world/random.js";
import type { BulkSummary } from "../../../src/domain/bulk/bulk-totals.js";
import { type JobFolder, openJobFolder } from "../command/job-folder.js";
import type { TrialReport } from "../kill/kill-trial.js";
import { rowsOf, withLake } from "../lake/lake-audit.js";
import { runKilled } from "./killed-command.js";

const ROSTER = ["--roster", "users.csv", "--json"];
/** Every so many links, the service lists a row less. */
const DIFFERS_EVERY = 7;

interface ReconcileTrial {
  readonly seed: number;
  readonly users: number;
  readonly kills: number;
}

/**
 * One reconciliation with kills at moments of its seed; the command is run again until it completes. Each run's rows of
 * `reconciliations` are compared with what the stand-in lists.
 */
export async function runReconcileTrial({ seed, users, kills }: ReconcileTrial): Promise<TrialReport> {
  const random = new Random(`reconcile/${seed}`);
  const sandbox = await startSandbox({
    seed,
    population: { kind: "synthetic", users, linksPerUser: 1, accountsPerLink: 2, rows: 150 },
  });
  const folder = await openJobFolder(sandbox, { NIGHTLEDGER_API_CONCURRENCY: "4" });
  try {
    const synced = await folder.command(["sync", ...ROSTER]).ended;
    if (synced.code !== 0) return { kills: [], problems: [`sync: ${synced.stderr}`] };
    const missing = unlistSome(sandbox);
    sandbox.setLatency(60);
    const { told, summary } = await runKilled(folder, ["reconcile", ...ROSTER], { random, kills, code: 1 });
    return { kills: told, problems: await problemsOf(folder, sandbox, summary, missing) };
  } finally {
    await folder.release();
    await sandbox.close();
  }
}

/** Makes the service list less than it has delivered; returns the row that each account lacks. */
function unlistSome(sandbox: Sandbox): Map<string, string> {
  const missing = new Map<string, string>();
  for (const [at, { id }] of sandbox.links().entries()) {
    const [first] = at % DIFFERS_EVERY === 0 ? sandbox.truth(id).rows : [];
    if (first === undefined) continue;
    sandbox.unlist(id, [first.transaction_id]);
    missing.set(String(first.values?.account_id), first.transaction_id);
  }
  return missing;
}

async function problemsOf(
  folder: JobFolder,
  sandbox: Sandbox,
  summary: BulkSummary | undefined,
  missing: ReadonlyMap<string, string>,
): Promise<string[]> {
  if (summary === undefined) return ["the command never completed"];
  const totals = sandbox.totals();
  const expected = { equal: totals.length - missing.size, differs: missing.size, unknown: 0 };
  const problems: string[] = [];
  const counted = JSON.stringify(summary.counts);
  if (counted !== JSON.stringify(expected))
    problems.push(`counts ${counted}, not ${JSON.stringify(expected)}`);
  await withLake(folder.lake, async (query) => {
    const rows = await rowsOf(
      query,
      `select run_id, account_id, status, lake_rows::int as lake, service_rows::int as service,
        lake_sum::varchar as lake_sum, missing_at_service from reconciliations`,
    );
    for (const run of new Set(rows.map(({ run_id }) => run_id))) {
      const own = rows.filter(({ run_id }) => run_id === run);
      const byAccount = new Map(own.map((row) => [String(row.account_id), row]));
      if (own.length !== totals.length || byAccount.size !== totals.length)
        problems.push(`${run}: ${own.length} rows of ${byAccount.size} accounts, not ${totals.length}`);
      for (const { account_id, rows: truth, signed_amount } of totals) {
        const row = byAccount.get(account_id);
        const gone = missing.get(account_id);
        const found = JSON.stringify([row?.lake, row?.service, row?.lake_sum, row?.missing_at_service]);
        const right = [
          truth,
          truth - (gone === undefined ? 0 : 1),
          signed_amount,
          gone && JSON.stringify([gone]),
        ];
        if (found !== JSON.stringify(right.map((value) => value ?? null)))
          problems.push(`${run} ${account_id}: ${found}, not ${JSON.stringify(right)}`);
      }
    }
  });
  return problems;
}
