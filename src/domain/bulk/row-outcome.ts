import { type Attempted, afterItemOutcome, type ItemOutcome, type ItemVerdict } from "../backoff.js";
import { MINUTE } from "../duration.js";

/** How long a row is tried that is answered 5xx each time while other rows are answered. */
const ALONE_MS = 10 * MINUTE;
/** Rows answered meanwhile for each other row that fails: fewer look like an outage, which gets its hour. */
const ANSWERED_FOR_EACH = 10;

/** How a run's other rows got on since a row failed first. */
interface OtherRows {
  readonly answered: number;
  readonly failing: number;
}

/** Decides as {@link afterItemOutcome}, but keeps no run waiting an hour for a few rows that the service can't answer. Pure. */
export function afterRowOutcome<P extends Attempted>(
  progress: P,
  outcome: ItemOutcome,
  at: number,
  jitter: number,
  { answered, failing }: OtherRows,
): ItemVerdict<P> {
  const verdict = afterItemOutcome({ ...progress, givesUpAt: undefined }, outcome, at, jitter);
  const isAlone = answered > ANSWERED_FOR_EACH * failing;
  if (verdict.kind !== "again" || outcome.kind !== "transient" || !isAlone) return verdict;
  const { streak, notBefore } = verdict.progress;
  if (streak === null || outcome.retryAfterMs !== null || !/^http_5/.test(outcome.reason)) return verdict;
  const last = streak.since + ALONE_MS;
  if (at >= last) return { kind: "failed", reason: `gave_up ${outcome.reason}` };
  return {
    kind: "again",
    progress: { ...verdict.progress, notBefore: Math.min(notBefore, last), givesUpAt: last },
  };
}
