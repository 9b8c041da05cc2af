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

/** The state of the reading of one user's links and accounts. */
export interface UserProgress extends Attempted {
  /** Index of the user in the frozen roster. */
  readonly user: number;
  /** How often a list moved while it was read: its pages are staged under this attempt. */
  readonly attempt: number;
  /** Pages of the user that are staged. */
  readonly staged: readonly Place[];
}

/** A user before the first request. */
export function freshUser(user: number): UserProgress {
  return { ...UNTRIED, user, attempt: 0, staged: [] };
}

export type UserOutcome =
  | Exclude<ItemOutcome, TransientOutcome>
  | (TransientOutcome & { readonly stream: string })
  /** Left out, the reason is that the list moved. */
  | { readonly kind: "moved"; readonly stream: string; readonly reason?: typeof ID_TWICE };

/** Reason of a list in which two rows have one id, however often it is read. */
export const ID_TWICE = "id_twice";

export function streamOf(reason: string): string {
  return reason.split(":", 1)[0] ?? "bank_links";
}

/** Decides as for any item, and reads a list again that moved, until it moves faster than it can be read. Pure. */
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
