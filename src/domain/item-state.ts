import { afterTransient, type FailureStreak, type TransientOutcome } from "./backoff.js";
import { HOUR } from "./duration.js";
import type { RefusedRequest } from "./refusals.js";

/** Something that is retried: a link or user of a sync, an item of a bulk job. */
export interface Attempted {
  readonly streak: FailureStreak | null;
  /** Epoch milliseconds before which no slice takes it; 0 at once. */
  readonly notBefore: number;
}

/** What has not been tried yet. */
export const UNTRIED: Attempted = { streak: null, notBefore: 0 };

export type ItemOutcome =
  /** The slice did not reach its end. */
  | { readonly kind: "open" }
  | { readonly kind: "complete" }
  | TransientOutcome
  | { readonly kind: "failed"; readonly reason: string; readonly refused?: RefusedRequest }
  /** It may have been done already, and nobody can tell: it waits until the user continues the run. */
  | { readonly kind: "held" }
  | { readonly kind: "unauthorized" };

export type ItemVerdict<P> =
  /** A later slice takes it. */
  | { readonly kind: "again"; readonly progress: P }
  | { readonly kind: "done" }
  | { readonly kind: "failed"; readonly reason: string; readonly refused?: RefusedRequest }
  /** The service refused the credentials: the run stops. */
  | { readonly kind: "stop" };

/** Decides after an outcome that came at `at`: retries what may pass, up to an hour; all else ends the item. Pure. */
export function afterItemOutcome<P extends Attempted>(
  progress: P,
  outcome: ItemOutcome,
  at: number,
  jitter: number,
): ItemVerdict<P> {
  switch (outcome.kind) {
    case "open":
      return { kind: "again", progress: { ...progress, notBefore: 0 } };
    case "held":
      return { kind: "again", progress: { ...progress, notBefore: at + HOUR } };
    case "complete":
      return { kind: "done" };
    case "unauthorized":
      return { kind: "stop" };
    case "failed":
      return outcome;
    case "transient": {
      const verdict = afterTransient(progress.streak, at, outcome, jitter);
      if (verdict.kind === "give_up") return { kind: "failed", reason: `gave_up ${outcome.reason}` };
      const { streak, notBefore } = verdict;
      return { kind: "again", progress: { ...progress, streak, notBefore } };
    }
  }
}
