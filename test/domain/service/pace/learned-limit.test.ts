import { expect, test } from "vitest";
import {
  type LearnedLimit,
  learn,
  learnRefusal,
  limitBelowMost,
  newLimit,
} from "../../../../src/domain/service/pace/learned-limit.js";

/** How long a call takes with so many in flight; undefined where it is refused. */
type Service = (inFlight: number) => number | undefined;

/** A service that answers as many calls at once without delay; the others wait in its line. */
const takes =
  (places: number): Service =>
  (inFlight) =>
    0.1 * Math.max(1, inFlight / places);

const refusesAbove =
  (places: number): Service =>
  (inFlight) =>
    inFlight > places ? undefined : 0.1;

function afterCalls(from: LearnedLimit, service: Service, calls: number): LearnedLimit[] {
  const states = [from];
  for (let call = 0; call < calls; call += 1) {
    const now = states.at(-1) as LearnedLimit;
    const seconds = service(now.limit);
    states.push(seconds === undefined ? learnRefusal(now) : learn(now, "read", seconds));
  }
  return states;
}

const limits = (states: readonly LearnedLimit[]) => states.map(({ limit }) => limit);

test("doubles from 4 to the most where the service keeps its pace, and says nothing of it", () => {
  const states = afterCalls(newLimit(32), takes(1_000), 500);
  expect([...new Set(limits(states))]).toEqual([4, 8, 16, 32]);
  expect(states.map(limitBelowMost).filter((limit) => limit !== undefined)).toEqual([]);
});

test.each([
  ["whose line grows above 8", takes(8), 7, 17],
  ["that answers one call at a time", takes(1), 4, 8],
  ["that refuses above 10", refusesAbove(10), 5, 11],
])("stays around what a service bears %s", (_, service, least, most) => {
  const settled = limits(afterCalls(newLimit(32), service, 4_000)).slice(1_000);
  expect(Math.min(...settled)).toBeGreaterThanOrEqual(least);
  expect(Math.max(...settled)).toBeLessThanOrEqual(most);
});

test("grows by one a round after trouble, up to the most, and then says no more of it", () => {
  const [halved] = afterCalls(newLimit(8), refusesAbove(4), 200).filter(({ doubles }) => !doubles);
  expect(halved && limitBelowMost(halved)).toBe(4);
  const after = afterCalls(halved as LearnedLimit, takes(1_000), 300);
  expect([...new Set(limits(after))]).toEqual([4, 5, 6, 7, 8]);
  expect(limitBelowMost(after.at(-1) as LearnedLimit)).toBeUndefined();
});

test("refusals of calls that were in flight together halve it once", () => {
  const [sixteen] = afterCalls(newLimit(32), takes(1_000), 200).filter(({ limit }) => limit === 16);
  const once = learnRefusal(sixteen as LearnedLimit);
  let all = once;
  for (let call = 0; call < 15; call += 1) all = learnRefusal(all);
  expect(all).toEqual(once);
  expect(once.limit).toBe(8);
});

test("an operation that is slow by itself is no trouble", () => {
  let state = newLimit(16);
  for (let call = 0; call < 400; call += 1)
    state = state.limit < 16 ? learn(state, "read", 0.1) : learn(state, "report", 5);
  expect(state.limit).toBe(16);
});

test.each([1, 3, 32])("of at most %i never below four, or below that", (most) => {
  let state = newLimit(most);
  for (let call = 0; call < 99; call += 1) state = learnRefusal(learn(state, "read", 1));
  expect(state.limit).toBe(Math.min(4, most));
});
