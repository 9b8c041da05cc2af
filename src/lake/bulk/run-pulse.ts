import { LONGEST_WAIT_MS } from "../../domain/backoff.js";
import type { BulkRun } from "../../domain/bulk/bulk-job.js";
import { MINUTE } from "../../domain/duration.js";
import type { SealedStore } from "../store/sealed-store.js";

/**
 * When a run last worked, when it last resumed after a gap, and when the user last had it continue; 0: never. Epoch
 * milliseconds.
 */
interface Pulse {
  readonly at: number;
  readonly resumedAt: number;
  readonly continuedAt: number;
}

interface PulseTimes {
  readonly continuedAt?: number;
  readonly homeStartedAt?: number | undefined;
}

type PulseOf = Pick<BulkRun, "staging" | "runId">;

/**
 * Longer than any wait for the service. A run that worked longer ago may have been restored from a snapshot of its machine:
 * then it does not know what it has sent since.
 */
const GAP_MS = LONGEST_WAIT_MS + MINUTE;

/**
 * Notes that a run works now; a step that ends may have taken any time, so it makes no gap. Nor does a run that was held
 * since its last gap open another one: it has sent nothing that it does not know, and the user's word counts for the first.
 * @param continuedAt when the user last had the run continue; 0: never
 * @param homeStartedAt when this HOME's Temporal server was started; 0 where that is not known
 * @returns when the run last resumed: from then on it may lack the intents of requests that it has sent; 0: never
 */
export async function notePulse(
  sealed: SealedStore,
  run: PulseOf,
  step: "begins" | "ends",
  { continuedAt = 0, homeStartedAt = 0 }: PulseTimes = {},
): Promise<number> {
  const now = Date.now();
  const before = await sealed.get<Pulse>(keyOf(run));
  const resumedAt = step === "begins" && isGap(before, now, homeStartedAt) ? now : (before?.resumedAt ?? 0);
  const pulse: Pulse = { at: now, resumedAt, continuedAt: Math.max(continuedAt, before?.continuedAt ?? 0) };
  await sealed.put(keyOf(run), pulse);
  return resumedAt;
}

function isGap(before: Pulse | undefined, now: number, homeStartedAt: number): boolean {
  if (before === undefined) return false;
  const isHeld = before.resumedAt > before.continuedAt;
  const wasAway = now - before.at > GAP_MS || before.at < homeStartedAt;
  return wasAway && !isHeld;
}

/** When a run last worked; undefined where it has not begun, or has ended. */
export async function lastPulse(sealed: SealedStore, run: PulseOf): Promise<number | undefined> {
  return (await sealed.get<Pulse>(keyOf(run)))?.at;
}

function keyOf({ staging, runId }: PulseOf): string {
  return `_staging/${staging}/pulse/${runId}`;
}
