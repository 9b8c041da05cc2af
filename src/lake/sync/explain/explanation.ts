import type { Problem } from "../chain-check.js";
import type { ChainPlace } from "./link-proof.js";

/** Where a row is stored. */
export interface StoredRow {
  /** The table's file that holds it now. */
  readonly file: string;
  /** The table's version that brought the row; null if its log no longer says. */
  readonly version: number | null;
  /** The version that moved it into this file, if another did: a compaction. */
  readonly moved_in: number | null;
}

/** One change of a transaction, as the feed has it. */
export interface ExplainedChange extends StoredRow {
  readonly sequence: number;
  readonly change_type: string;
  readonly inferred: boolean;
  readonly run_id: string;
  /** Of its update; null for an inferred removal. */
  readonly page: number | null;
  readonly fetched_at: string;
  readonly generation: number;
  readonly account_id: string | null;
  readonly amount: string | null;
  readonly signed_amount: string | null;
  readonly currency: string | null;
  readonly date: string | null;
  readonly type: string | null;
  readonly pending: boolean | null;
  readonly description: string | null;
  /** Null while the run that made it has not ended. */
  readonly certificate: ChainPlace | null;
}

/** A row of `transaction_links` that names the transaction. */
export interface ExplainedPair {
  readonly pending_transaction_id: string;
  readonly posted_transaction_id: string | null;
  readonly tier: string;
  readonly candidate_tier: string | null;
  readonly posted_candidates: number;
  readonly pending_candidates: number;
  readonly candidate_ids: readonly string[];
  readonly currency: string | null;
  readonly pending_signed_amount: string | null;
  readonly posted_signed_amount: string | null;
  readonly pending_date: string | null;
  readonly posted_date: string | null;
  readonly removed_run_id: string;
  readonly removed_sequence: number;
  readonly posted_run_id: string | null;
  readonly posted_sequence: number | null;
}

/** Everything that a lake knows of one transaction of one link. */
export interface Explanation {
  readonly transaction_id: string;
  readonly link_id: string;
  readonly fp_id: string | null;
  /** `quarantined`: only bad rows name it; `imported`: it was sent, and no sync has brought it back. */
  readonly state: "live" | "gone" | "quarantined" | "imported";
  /** Why it is gone; null unless it is. */
  readonly gone_because: "removed" | "inferred_full_resync" | null;
  readonly changes: readonly ExplainedChange[];
  /** Where `transactions` has it; null if it has not. */
  readonly current: (StoredRow & { readonly sequence: number }) | null;
  /** What it became, or may have become: its own removals while it was pending. */
  readonly became: readonly ExplainedPair[];
  /** What became it, or may have. */
  readonly was: readonly ExplainedPair[];
  readonly imports: readonly Readonly<Record<string, unknown>>[];
  readonly quarantine: readonly Readonly<Record<string, unknown>>[];
  readonly proof: {
    readonly holds: boolean;
    readonly certificates: number;
    readonly problems: readonly Problem[];
  };
}
