import { type UserRow, userRow } from "../api/file-fields.js";
import { decimalText, sumUnits } from "../domain/service/transaction-values.js";
import { type LakeAccount, lakeAccounts } from "../lake/bulk/reconcile/lake-accounts.js";
import { reconciliations } from "../lake/tables/bulk.js";
import { type BulkJob, rowPerUser } from "./job.js";
import { type ReconcileOptions, reconcileKind } from "./kinds/reconcile.js";
import {
  type AccountResult,
  reconcileUser,
  statusOf,
  type UserResult,
} from "./reconcile/user-reconciliation.js";

/** Compares the lake's transactions and balances with the service's (docs/use/reconcile.md). */
export const reconcileJob: BulkJob<UserRow, UserResult, ReconcileOptions, readonly LakeAccount[]> = {
  ...reconcileKind,
  ...rowPerUser,
  row: userRow,
  order: (a, b) => (a.fp_id < b.fp_id ? -1 : 1),
  groupRows: 500,
  async plan({ lake, options }, rows) {
    const fpIds = rows.map(({ row }) => row.fp_id);
    const known = await lakeAccounts(lake, { fpIds, ...options });
    return { work: rows.map((one) => ({ rows: [one], given: known.get(one.row.fp_id) ?? [] })), ended: [] };
  },
  work: ([user], caller) => reconcileUser(user?.row.fp_id ?? "", caller),
  end({ accounts }) {
    const differing = accounts.filter((one) => statusOf(one) === "differs").length;
    const reason = `differs in ${differing} of ${accounts.length} accounts`;
    return differing === 0 ? undefined : { status: "failed", reason };
  },
  counts({ result }) {
    const counts = { equal: 0, differs: 0, unknown: 0 };
    if (result === null) return { ...counts, unknown: 1 };
    for (const account of result.accounts) counts[statusOf(account)] += 1;
    return counts;
  },
  failedRows: (runId) =>
    `select * from reconciliations where run_id = '${runId}' and (status <> 'equal' or balance_status = 'differs')`,
  countedRows: (runId) => `select name, count(status) as count
    from (values (1, 'equal'), (2, 'differs'), (3, 'unknown')) as names(place, name)
    left join (select case when balance_status = 'differs' then 'differs' else status end as status
      from reconciliations where run_id = '${runId}') on status = name
    group by place, name order by place`,
  linksFoundIn: reconciliations,
  tables: [reconciliations],
  rows({ runId, options }, { rows, result, reason }) {
    const fp_id = rows[0]?.row.fp_id ?? "";
    const { at, accounts } = result ?? failed(reason);
    const common = { run_id: runId, reconciled_at: at, fp_id };
    return {
      reconciliations: accounts.map((account) => ({ ...common, ...rowOf(account, options) })),
    };
  },
};

function failed(reason: string | null): UserResult {
  const nothing = { linkId: null, accountId: null, balance: null, comparison: null };
  const counts = { lakeRows: null, serviceRows: null, lakeSum: null };
  return { at: new Date().toISOString(), accounts: [{ ...nothing, ...counts, status: "unknown", reason }] };
}

function rowOf(account: AccountResult, { from, to }: ReconcileOptions) {
  const { linkId, accountId, status, reason, comparison, balance } = account;
  const { lakeRows, serviceRows, lakeSum } = account;
  const { missingInLake, missingAtService, changed, serviceSum = null } = comparison ?? {};
  return {
    ...{ link_id: linkId, account_id: accountId, date_from: from, date_to: to, status, reason },
    ...{ lake_rows: lakeRows, service_rows: serviceRows },
    ...{ missing_in_lake_rows: missingInLake?.count, missing_in_lake: idsOf(missingInLake?.ids) },
    ...{ missing_at_service_rows: missingAtService?.count, missing_at_service: idsOf(missingAtService?.ids) },
    ...{ changed_rows: changed?.count, changed: idsOf(changed?.ids) },
    ...{ lake_sum: lakeSum, service_sum: serviceSum, difference: differenceOf(lakeSum, serviceSum) },
    ...{ balance_status: balance?.status, balance_reason: balance?.reason },
    ...{ balance_from: balance?.from, balance_to: balance?.to },
    ...{
      balance_change: balance?.change,
      posted_sum: balance?.posted,
      balance_difference: balance?.difference,
    },
  };
}

function idsOf(ids: readonly string[] | undefined): string | null {
  return ids === undefined ? null : JSON.stringify(ids);
}

function differenceOf(lakeSum: string | null, serviceSum: string | null): string | null {
  const [lake, service] = [sumUnits(lakeSum), sumUnits(serviceSum)];
  return lake === undefined || service === undefined ? null : decimalText(service - lake);
}
