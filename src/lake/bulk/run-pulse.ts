import { LONGEST_WAIT_MS } from "../../domain/backoff.js";
import type { BulkRun } from "../../domain/bulk/bulk-job.js";
import { MINUTE } from "../../domain/duration.js";
import { RESTORED_KEY } from "../service-binding.js";
import type { SealedStore } from "../store/sealed-store.js";

/** When a run last worked, and when it last resumed after a gap; 0: never. Epoch milliseconds. */
interface Pulse {
  readonly at: number;
  readonly resumedAt: number;
}

type PulseOf = Pick<BulkRun, "staging" | "runId">;

/**
 * Longer than any wait for the service. A run that worked longer ago may have been restored from a snapshot of its machine:
 * then it does not know what it has sent since.
 */
const GAP_MS = LONGEST_WAIT_MS + MINUTE;

/**
 * Notes that a run works now; a step that ends may have taken any time, so it makes no gap.
 * @param homeStartedAt when this HOME's Temporal server was started; 0 where that is not known
 * @returns when the run last resumed: from then on it may lack the intents of requests that it has sent; 0: never
 */
export async function notePulse(
  sealed: SealedStore,
  run: PulseOf,
  step: "begins" | "ends",
  homeStartedAt = 0,
): Promise<number> {
  const now = Date.now();
  const restoredAt = (await sealed.stat(RESTORED_KEY))?.modifiedAt.getTime() ?? 0;
  const before = (await sealed.get<Pulse>(keyOf(run))) ?? (await pulseBefore(sealed, run, restoredAt));
  const since = Math.max(homeStartedAt, restoredAt);
  const wasAway = before !== undefined && (now - before.at > GAP_MS || before.at < since);
  const isGap = wasAway && step === "begins";
  const resumedAt = isGap ? now : (before?.resumedAt ?? 0);
  await sealed.put(keyOf(run), { at: now, resumedAt } satisfies Pulse);
  return resumedAt;
}

/** The last pulse of the run that another one continues, where it comes from a snapshot of the lake. */
async function pulseBefore(
  sealed: SealedStore,
  { staging }: PulseOf,
  restoredAt: number,
): Promise<Pulse | undefined> {
  if (restoredAt === 0) return undefined;
  const entries = await sealed.list(keyOf({ staging, runId: "" }));
  const pulses = await Promise.all(entries.map(({ key }) => sealed.get<Pulse>(key)));
  const last = pulses.filter((pulse) => pulse !== undefined).sort((a, b) => b.at - a.at)[0];
  return last !== undefined && (last.at < restoredAt || last.resumedAt > 0) ? last : undefined;
}

/** When a run last worked; undefined where it has not begun, or has ended. */
export async function lastPulse(sealed: SealedStore, run: PulseOf): Promise<number | undefined> {
  return (await sealed.get<Pulse>(keyOf(run)))?.at;
}

function keyOf({ staging, runId }: PulseOf): string {
  return `_staging/${staging}/pulse/${runId}`;
}
