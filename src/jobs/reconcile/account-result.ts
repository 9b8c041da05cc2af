import type { BalanceCheck, ReconciliationStatus } from "../../domain/bulk/reconcile/balance.js";
import type { RowComparison } from "../../domain/bulk/reconcile/compared-rows.js";

/** What a comparison of one account's rows came to. */
export interface RowsResult {
  readonly status: ReconciliationStatus;
  readonly reason: string | null;
  /** These are null where the service could not be asked, or its list moved. */
  readonly lakeRows: number | null;
  readonly serviceRows: number | null;
  /** Sum of signed amounts, decimal text. */
  readonly lakeSum: string | null;
  /** Null where only totals were compared. */
  readonly comparison: RowComparison | null;
}

/** One account of a user, reconciled. */
export interface AccountResult extends RowsResult {
  /** Null for rows of the user whose account is not known. */
  readonly linkId: string | null;
  readonly accountId: string | null;
  readonly balance: BalanceCheck | null;
}

/** One user, reconciled. */
export interface UserResult {
  /** ISO instant. */
  readonly at: string;
  readonly accounts: readonly AccountResult[];
}

/** What an account counts as: a difference of its balance counts like one of its rows. */
export function statusOf({ status, balance }: AccountResult): ReconciliationStatus {
  return balance?.status === "differs" ? "differs" : status;
}
