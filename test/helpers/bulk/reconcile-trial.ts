import type { Sandbox } from "../../../sandbox/index.js";
import type { BulkSummary } from "../../../src/domain/bulk/bulk-totals.js";
import type { JobFolder } from "../command/job-folder.js";
import { rowsOf, withLake } from "../lake/lake-audit.js";
import type { KilledJob } from "./bulk-trial.js";

const ROSTER = ["--roster", "users.csv", "--json"];
/** Every so many links, the service lists a row less. */
const DIFFERS_EVERY = 7;

/**
 * A reconciliation after a sync: each run's rows of `reconciliations` are compared with what the stand-in lists. The
 * command exits with 1, because some accounts differ.
 */
export const KILLED_RECONCILE: KilledJob = {
  kind: "reconcile",
  sandbox: {
    latencyMs: 0,
    population: { kind: "synthetic", users: 60, linksPerUser: 1, accountsPerLink: 2, rows: 150 },
  },
  args: ["reconcile", ...ROSTER],
  async prepare(folder, sandbox) {
    const { code, stderr } = await folder.command(["sync", ...ROSTER]).ended;
    if (code !== 0) throw new Error(`sync: exit ${code}: ${stderr}`);
    for (const { linkId, transactionId } of unlisted(sandbox)) sandbox.unlist(linkId, [transactionId]);
    sandbox.setLatency(60);
  },
  problemsOf,
};

/** The rows that the service does not list although it has delivered them. */
function unlisted(sandbox: Sandbox) {
  return sandbox.links().flatMap(({ id }, at) => {
    const [first] = at % DIFFERS_EVERY === 0 ? sandbox.truth(id).rows : [];
    if (first === undefined) return [];
    const { transaction_id, values } = first;
    return [{ linkId: id, accountId: String(values?.account_id), transactionId: transaction_id }];
  });
}

async function problemsOf(folder: JobFolder, sandbox: Sandbox, summary: BulkSummary): Promise<string[]> {
  const missing = new Map(
    unlisted(sandbox).map(({ accountId, transactionId }) => [accountId, transactionId]),
  );
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
