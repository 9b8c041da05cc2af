/** Calls in flight at which a limit begins to learn, and the fewest: below that the pauses of the service help more. */
const FEWEST = 4;
/** How much longer calls may take than at half as many in flight: at 2 the doubling has brought nothing. */
const MOST_SLOWER = 1.8;

/** How long the calls of an operation took. */
interface Times {
  readonly calls: number;
  readonly seconds: number;
}

type TimesByOperation = ReadonlyMap<string, Times>;

/**
 * How many calls in flight a service bears: more while all goes well, half as many after a refusal (429), and where twice as
 * many calls were twice as slow (docs/run/configuration.md, "Rate and pauses").
 */
export interface LearnedLimit {
  readonly limit: number;
  readonly most: number;
  /** Until its first trouble it doubles; from then on it grows by one. */
  readonly doubles: boolean;
  /** Calls that have to end before it changes again: first those that were in flight at its last change, then a round. */
  readonly left: number;
  readonly round: TimesByOperation;
  /** Of the last round of each limit. */
  readonly known: ReadonlyMap<number, TimesByOperation>;
}

/** @param most calls in flight that it never exceeds */
export function newLimit(most: number): LearnedLimit {
  const limit = Math.min(FEWEST, most);
  return { limit, most, doubles: true, left: limit, round: new Map(), known: new Map() };
}

/** Learns from a call that has ended while all places were taken; at the end of a round the limit changes. */
export function learn(from: LearnedLimit, operation: string, seconds: number): LearnedLimit {
  const left = from.left - 1;
  // It began before the last change.
  if (from.left > from.limit) return { ...from, left };
  const round = new Map(from.round).set(operation, added(from.round.get(operation), seconds));
  if (left > 0) return { ...from, left, round };
  const known = new Map(from.known).set(from.limit, round);
  const slower = slowerThan(from.known.get(Math.floor(from.limit / 2)), round);
  if (slower > MOST_SLOWER) return changed({ ...from, known, doubles: false }, from.limit / 2);
  return changed({ ...from, known }, from.doubles ? from.limit * 2 : from.limit + 1);
}

/** Learns that the service refused a call; the refusals of calls that were in flight together count as one. */
export function learnRefusal(from: LearnedLimit): LearnedLimit {
  if (!from.doubles && from.left > from.limit) return from;
  return changed({ ...from, doubles: false }, from.limit / 2);
}

/** The limit where the service has set it; undefined while nothing went wrong, or where it is the most again. */
export function limitBelowMost({ doubles, limit, most }: LearnedLimit): number | undefined {
  return doubles || limit === most ? undefined : limit;
}

function changed(from: LearnedLimit, wanted: number): LearnedLimit {
  const limit = Math.min(from.most, Math.max(FEWEST, Math.floor(wanted)));
  return { ...from, limit, left: limit + from.limit, round: new Map() };
}

/** How much longer the calls of a round took than those before, each beside the same operation; 1 where none is known. */
function slowerThan(before: TimesByOperation | undefined, round: TimesByOperation): number {
  let [calls, sum] = [0, 0];
  for (const [operation, now] of round) {
    const then = before?.get(operation);
    if (then === undefined || then.seconds === 0) continue;
    calls += now.calls;
    sum += now.seconds / (then.seconds / then.calls);
  }
  return calls === 0 ? 1 : sum / calls;
}

function added(times: Times | undefined, seconds: number): Times {
  return { calls: (times?.calls ?? 0) + 1, seconds: (times?.seconds ?? 0) + seconds };
}
