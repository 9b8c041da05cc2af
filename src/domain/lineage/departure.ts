/**
 * What is known of where a pending transaction went. `exact` and `amount_changed` name its posted one. `ambiguous`: posted
 * ones fit, but so do other pending ones, or more than one fits. `waiting`: none fits so far. `returned`: it came back.
 */
type PairTier = CandidateTier | "ambiguous" | "waiting" | "returned";

/** How a posted transaction fits a pending one, the best first. */
export const CANDIDATE_TIERS = ["exact", "amount_changed"] as const;
export type CandidateTier = (typeof CANDIDATE_TIERS)[number];

/** A transaction that became live, posted. */
export interface Arrival {
  readonly id: string;
  readonly sequence: number;
  readonly day: number;
  readonly state: TransactionState;
}

/** A transaction that was removed while it was pending: one row of `transaction_links`. */
export interface Departure {
  readonly id: string;
  /** Of its removal. */
  readonly sequence: number;
  readonly day: number;
  /** Its last state. */
  readonly state: TransactionState;
  tier: PairTier;
  /** The best tier at which posted transactions fitted so far; the counts below are of that tier. */
  candidate_tier?: CandidateTier;
  /** Posted transactions that fitted. */
  posted_candidates: number;
  /** The most pending ones, itself included, that fitted one of `candidate_ids`. */
  pending_candidates: number;
  /** The first ones of those that fitted. */
  candidate_ids: readonly string[];
  /** What it became. */
  posted?: Arrival;
}

/** The number of candidates that a departure names. */
export const MOST_CANDIDATES = 10;

/** What pairing needs to know of a transaction between two changes. Amounts are exact texts of one scale. */
export interface TransactionState {
  /** Of the change that gave it this state; undefined where nobody asks. */
  readonly sequence?: number;
  readonly account_id: string | null;
  readonly currency: string | null;
  readonly type: string | null;
  readonly signed_amount: string | null;
  /** The number of its day, as {@link dayNumber} counts. */
  readonly day: number | null;
  readonly pending: boolean | null;
  readonly merchant_id: string | null;
  readonly description: string | null;
}

const DAY_MS = 86_400_000;

/** Gives the number of a day, so that days can be counted. */
export function dayNumber(date: string): number {
  return Date.parse(`${date}T00:00:00Z`) / DAY_MS;
}

/** Gives the key that two states share if their signed amounts are equal; none if a value that it needs is missing. */
export function amountKeys(state: TransactionState): string[] {
  const { signed_amount } = state;
  return signed_amount === null ? [] : [keyOf(state, "amount", signed_amount)];
}

/** Gives the keys under which a pending transaction looks for posted ones: of its merchant, or, without one, its description. */
export function merchantLookups(state: TransactionState): string[] {
  const { merchant_id: merchant, description } = withoutBlanks(state);
  return [
    ...(merchant === null ? [] : [keyOf(state, "merchant", merchant)]),
    ...(description === null ? [] : [keyOf(state, "unnamed", description)]),
    ...(merchant === null && description !== null ? [keyOf(state, "named", description)] : []),
  ];
}

/** Gives the keys under which a posted transaction is found by {@link merchantLookups}: no two lead to the same pair. */
export function merchantKeys(state: TransactionState): string[] {
  const { merchant_id: merchant, description } = withoutBlanks(state);
  return [
    ...(merchant === null ? [] : [keyOf(state, "merchant", merchant)]),
    ...(description === null ? [] : [keyOf(state, merchant === null ? "unnamed" : "named", description)]),
  ];
}

function withoutBlanks({ merchant_id, description }: TransactionState) {
  const filled = (text: string | null) => (text === null || text.trim() === "" ? null : text);
  return { merchant_id: filled(merchant_id), description: filled(description) };
}

/** Pairs stay within one account, currency and type, whatever else they share. */
function keyOf({ account_id, currency, type }: TransactionState, kind: string, value: string): string {
  return JSON.stringify([account_id, currency, type, kind, value]);
}
