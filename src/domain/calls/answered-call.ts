import type { ImportEvidence } from "./imported-rows.js";

export interface AnsweredCall<A> {
  readonly body: A;
  readonly at: number;
  /** Requests that may have reached the service, this one included. */
  readonly asked: number;
  /** `found`: an earlier attempt had kept it. `recovered`: the effect of a lost request was found. */
  readonly repeated: "no" | "found" | "recovered";
}

export interface DataOwner {
  readonly fp_id: string;
  readonly decrypt_reason?: string;
  /** Seconds that the token is good for; left out, enough for a call that waits. */
  readonly ttl?: number;
}

export interface CallTerms {
  /** Of an import: when to look for rows that earlier requests brought. Left out: a refused request brought none. */
  readonly lookAfter?: "refusal" | "repetition";
  /** Of an import: left out, imported rows can't be recognised. */
  readonly evidence?: ImportEvidence;
}
