import { type Waiting, type WaitingState, waitingName } from "../../domain/waiting.js";
import { clockTime } from "./clock.js";

/** Others are counted. */
const MOST_SHOWN = 5;

const NO_PLACE = "waiting: for the call limit; other calls have all places";

/** What a run waits for. `now`: epoch milliseconds. */
export function waitingLines(state: WaitingState, now: number): string[] {
  const shown = state.waiting.slice(0, MOST_SHOWN);
  const more = state.waiting_total - shown.length;
  return [
    ...throttledLine(state, now),
    ...(state.waits_for_place ? [NO_PLACE] : []),
    ...shown.map((waiting) => lineOf(waiting, now)),
    ...(more > 0 ? [`waiting: ${shown.length > 0 ? "and " : ""}${more} more`] : []),
  ];
}

/** Only what `before` did not say. */
export function waitingNews(before: WaitingState, after: WaitingState, now: number): string[] {
  const known = new Set(before.waiting.map(tryOf));
  const shown = after.waiting.slice(0, MOST_SHOWN);
  const isOver = before.waiting_total > 0 && after.waiting_total === 0;
  return [
    ...(after.throttled_until === before.throttled_until ? [] : throttledLine(after, now)),
    ...(after.waits_for_place && !before.waits_for_place ? [NO_PLACE] : []),
    ...shown.filter((waiting) => !known.has(tryOf(waiting))).map((waiting) => lineOf(waiting, now)),
    ...(after.waiting_total > shown.length && after.waiting_total !== before.waiting_total
      ? [`waiting: ${after.waiting_total} in all`]
      : []),
    ...(isOver ? ["waiting: nothing any more"] : []),
  ];
}

/** Each try gets one line. */
function tryOf(waiting: Waiting): string {
  return `${waitingName(waiting)} ${waiting.reason} ${waiting.attempts}`;
}

function lineOf(waiting: Waiting, now: number): string {
  const { reason, attempts, next_try_at, gives_up_at } = waiting;
  const isLast = gives_up_at <= next_try_at;
  const next = `${ordinal(attempts + 1)}${isLast ? " and last" : ""} try ${when(next_try_at, now)}`;
  const end = isLast ? "" : `, gives up after ${clockTime(new Date(gives_up_at), now)}`;
  return `waiting: ${waitingName(waiting)} ${reason}, ${next}${end}`;
}

function throttledLine({ throttled_until }: WaitingState, now: number): string[] {
  const until = new Date(throttled_until ?? 0);
  return until.getTime() <= now ? [] : [`waiting: throttled by the service until ${clockTime(until, now)}`];
}

function when(instant: string, now: number): string {
  const at = new Date(instant);
  return at.getTime() <= now ? "now" : `at ${clockTime(at, now)}`;
}

function ordinal(number: number): string {
  const tens = number % 100;
  if (tens > 10 && tens < 14) return `${number}th`;
  return `${number}${["th", "st", "nd", "rd"][number % 10] ?? "th"}`;
}
