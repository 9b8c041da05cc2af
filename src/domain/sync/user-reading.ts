import {
  type Attempted,
  afterItemOutcome,
  type ItemOutcome,
  type ItemVerdict,
  type TransientOutcome,
  UNTRIED,
} from "../backoff.js";
import { MOST_RESTARTS } from "./link-reading.js";
import type { Place } from "./place.js";

/** How far the reading of one user's lists has come. */
export interface UserProgress extends Attempted {
  /** In the frozen roster. */
  readonly user: number;
  /** How often a list moved: its pages are staged under this attempt. */
  readonly attempt: number;
  /** Records of what is staged. */
  readonly staged: readonly Place[];
}

export function freshUser(user: number): UserProgress {
  return { ...UNTRIED, user, attempt: 0, staged: [] };
}

export type UserOutcome =
  | Exclude<ItemOutcome, TransientOutcome>
  | (TransientOutcome & { readonly stream: string })
  /** Left out: `list_moved`. */
  | { readonly kind: "moved"; readonly stream: string; readonly reason?: typeof ID_TWICE };

/** Two rows of a list have one id. */
export const ID_TWICE = "id_twice";

export function streamOf(reason: string): string {
  return reason.split(":", 1)[0] ?? "bank_links";
}

/** Decides as for any item, and reads a list again that moved, five times at most. Pure. */
export function afterUserOutcome(
  progress: UserProgress,
  outcome: UserOutcome,
  at: number,
  jitter: number,
): ItemVerdict<UserProgress> {
  if (outcome.kind === "moved") {
    return progress.attempt === MOST_RESTARTS
      ? { kind: "failed", reason: `${outcome.stream}: ${outcome.reason ?? "list_moved"}` }
      : { kind: "again", progress: { ...progress, attempt: progress.attempt + 1, notBefore: 0 } };
  }
  const verdict = afterItemOutcome(progress, outcome, at, jitter);
  if (verdict.kind !== "failed" || outcome.kind !== "transient") return verdict;
  return { kind: "failed", reason: `${outcome.stream}: ${verdict.reason}` };
}
