import { decimalText, sumUnits } from "../../service/transaction-values.js";

export type ReconciliationStatus = "equal" | "differs" | "unknown";

/** One change of an account's balance, as the history `accounts` has it. */
export interface ObservedBalance {
  /** ISO instant. */
  readonly observedAt: string;
  /** Decimal text; null where the service gave none. */
  readonly current: string | null;
  readonly currency: string | null;
  /** The account was no longer listed. */
  readonly gone: boolean;
  /** Whether the run that observed it also read the account's link to its end. */
  readonly linkRead: boolean;
}

/** What became posted, or ceased to be, between two observations. */
export interface PostedChange {
  /** Sum of signed amounts, decimal text. */
  readonly sum: string;
  readonly otherCurrency: boolean;
}

/** Whether a balance changed by what was posted. */
export interface BalanceCheck {
  readonly status: ReconciliationStatus;
  readonly reason: string | null;
  /** The two observations, ISO instants. */
  readonly from: string | null;
  readonly to: string | null;
  /** Decimal texts; null where they are not known. */
  readonly change: string | null;
  readonly posted: string | null;
  readonly difference: string | null;
}

/** Judges the last two observations of an account's balance. */
export function checkBalance(
  [last, before]: readonly ObservedBalance[],
  posted: PostedChange | undefined,
  quarantined: number,
): BalanceCheck {
  const times = { from: before?.observedAt ?? null, to: last?.observedAt ?? null };
  const unknown = (reason: string): BalanceCheck => {
    return { status: "unknown", reason, ...times, change: null, posted: null, difference: null };
  };
  if (last === undefined) return unknown("not_observed");
  if (last.gone) return unknown("account_gone");
  if (before === undefined) return unknown("one_observation");
  if (before.gone) return unknown("account_gone_between");
  const [from, to] = [sumUnits(before.current), sumUnits(last.current)];
  if (from === undefined || to === undefined) return unknown("no_balance");
  if (before.currency !== last.currency) return unknown("currency_changed");
  if (!before.linkRead || !last.linkRead) return unknown("link_not_read");
  if (posted?.otherCurrency) return unknown("other_currency");
  const sum = sumUnits(posted?.sum ?? null) ?? 0n;
  const difference = to - from - sum;
  return {
    status: difference === 0n ? "equal" : "differs",
    reason: difference === 0n || quarantined === 0 ? null : quarantinedReason(quarantined),
    ...times,
    change: decimalText(to - from),
    posted: decimalText(sum),
    difference: decimalText(difference),
  };
}

/** What may explain a difference of a link that has open rows in quarantine. */
export function quarantinedReason(rows: number): string {
  return `quarantined ${rows}`;
}
