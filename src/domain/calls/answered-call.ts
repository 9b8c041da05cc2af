import type { ImportEvidence } from "./imported-rows.js";

export interface AnsweredCall<A> {
  readonly body: A;
  readonly at: number;
  /** Requests that may have reached the service until then, this one included. */
  readonly asked: number;
  /** `found`: an earlier attempt had kept it. `settled`: the effect of a lost request was found. */
  readonly repeated: "no" | "found" | "settled";
}

/** The user whose data a client operation reads or writes. */
export interface DataOwner {
  readonly fp_id: string;
  readonly decrypt_reason?: string;
  /** Seconds for which the call's token is good; left out, enough for a call that has to wait. */
  readonly ttl?: number;
}

/** What is special about one call. */
export interface CallTerms {
  /**
   * Of an import: look at once for rows that a refused request has brought, or only where an earlier request of the call
   * was lost. Left out: a refused request brought none.
   */
  readonly lookAfter?: "refusal" | "repetition";
  /** Of an import: left out, nothing tells that imported rows can be known. */
  readonly evidence?: ImportEvidence;
}
