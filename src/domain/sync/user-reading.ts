import { afterTransient, type FailureStreak } from "../backoff.js";

/** After so many restarts a list moves faster than it can be read. */
const MOST_RESTARTS = 5;

/** Where the reading of one user's links and accounts stands. */
export interface UserProgress {
  /** Index of the user in the frozen roster. */
  readonly user: number;
  /** How often a list moved while it was read: its pages are staged under this attempt. */
  readonly attempt: number;
  readonly streak: FailureStreak | null;
  /** Epoch milliseconds before which no slice takes the user; 0 at once. */
  readonly notBefore: number;
}

/** What a slice says of one user. */
export type UserOutcome =
  | { readonly kind: "open" }
  | { readonly kind: "complete" }
  | { readonly kind: "moved"; readonly stream: string }
  | {
      readonly kind: "transient";
      readonly stream: string;
      readonly reason: string;
      readonly retryAfterMs: number | null;
    }
  | { readonly kind: "failed"; readonly reason: string }
  | { readonly kind: "unauthorized" };

/** What becomes of the user. */
type UserVerdict =
  | { readonly kind: "read"; readonly progress: UserProgress }
  | { readonly kind: "done" }
  | { readonly kind: "drop" }
  | { readonly kind: "failed"; readonly reason: string };

/** The course of one user's reads: transient failures wait, others end. Pure. */
export function afterUserOutcome(
  progress: UserProgress,
  outcome: UserOutcome,
  at: number,
  jitter: number,
): UserVerdict {
  switch (outcome.kind) {
    case "open":
      return { kind: "read", progress: { ...progress, notBefore: 0 } };
    case "complete":
      return { kind: "done" };
    case "moved":
      return progress.attempt === MOST_RESTARTS
        ? { kind: "failed", reason: `${outcome.stream}: list_moved` }
        : { kind: "read", progress: { ...progress, attempt: progress.attempt + 1, notBefore: 0 } };
    case "unauthorized":
      return { kind: "drop" };
    case "failed":
      return { kind: "failed", reason: outcome.reason };
    case "transient": {
      const verdict = afterTransient(progress.streak, at, outcome.retryAfterMs, jitter);
      if (verdict.kind === "give_up") {
        return { kind: "failed", reason: `${outcome.stream}: gave_up ${outcome.reason}` };
      }
      return {
        kind: "read",
        progress: { ...progress, streak: verdict.streak, notBefore: verdict.notBefore },
      };
    }
  }
}

/** Whether an outcome that came at `at` fails the user: then, and only then, a history names them. */
export function endsUser(progress: UserProgress, outcome: UserOutcome, at: number): boolean {
  return afterUserOutcome(progress, outcome, at, 0).kind === "failed";
}
