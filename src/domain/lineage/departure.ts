import type { TransactionState } from "./transaction-state.js";

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
