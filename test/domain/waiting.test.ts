import { expect, test } from "vitest";
import {
  afterTransient,
  type FailureStreak,
  SERVICE_RETRY,
  USELESS_ANSWER,
} from "../../src/domain/backoff.js";
import {
  allWaiting,
  MOST_WAITING,
  namedFailures,
  waitingName,
  waitingState,
} from "../../src/domain/waiting.js";

const NOW = Date.parse("2026-11-22T02:00:00Z");
const instant = (ms: number) => new Date(NOW + ms).toISOString();
const link = (id: string, count: number, since: number) => ({
  streak: { count, since: NOW + since },
  notBefore: NOW + 40_000,
  failure: { name: { link: id }, reason: "http_503" },
});

test("what failed and is tried again waits, what fails longest first; what never failed does not", () => {
  const fresh = { streak: null, notBefore: 0, failure: undefined };
  expect(waitingState([link("b", 1, 0), fresh, link("a", 6, -60_000)])).toEqual({
    waiting: [
      {
        ...{ link: "a", reason: "http_503", attempts: 6 },
        ...{ next_try_at: instant(40_000), gives_up_at: instant(SERVICE_RETRY.until - 60_000) },
      },
      {
        ...{ link: "b", reason: "http_503", attempts: 1 },
        ...{ next_try_at: instant(40_000), gives_up_at: instant(SERVICE_RETRY.until) },
      },
    ],
    waiting_total: 2,
    throttled_until: null,
    waits_for_place: false,
    learned_limit: null,
  });
  expect(waitingState([fresh])).toEqual(waitingState([]));
});

const MINUTE = 60_000;
test.for([
  ["an hour after it failed first", 1, 0, 40_000, undefined, 60 * MINUTE],
  ["with its next try, where that comes later", 30, -59 * MINUTE, 40_000, undefined, 1 * MINUTE],
  ["with a next try that comes after the hour", 30, -61 * MINUTE, 40_000, undefined, 40_000],
  ["sooner, where it may hold up others no longer", 3, 0, 40_000, 10 * MINUTE, 10 * MINUTE],
] as const)("a link is given up %s", ([_, count, since, next, most, end]) => {
  const givesUpAt = most === undefined ? {} : { givesUpAt: NOW + most };
  const { waiting } = waitingState([{ ...link("a", count, since), notBefore: NOW + next, ...givesUpAt }]);
  expect(waiting[0]?.gives_up_at).toBe(instant(end));
});

test("the time at which useless answers are given up is the one promised after each of them", () => {
  let at = NOW;
  let streak: FailureStreak | null = null;
  const promised: (string | undefined)[] = [];
  for (;;) {
    const verdict = afterTransient(streak, at, { reason: USELESS_ANSWER, retryAfterMs: null }, 1);
    if (typeof verdict === "string") break;
    ({ streak, notBefore: at } = verdict);
    promised.push(waitingState([{ ...link("a", 1, 0), ...verdict }]).waiting[0]?.gives_up_at);
  }
  expect(new Set(promised)).toEqual(new Set([new Date(at).toISOString()]));
});

const gate = (gateUntil: number | null) => ({ foundNoPlace: false, gateUntil });

test.for([
  ["a wait of its own", NOW + 40_000, null, 40_000],
  ["a pause that the service asked for", NOW + 40_000, NOW + 90_000, 90_000],
  ["a slice that did not reach it", 0, null, -5_000],
] as const)("the next try after %s", ([_, notBefore, throttledUntil, next]) => {
  const state = waitingState([{ ...link("a", 1, -5_000), notBefore }], gate(throttledUntil));
  expect(state.waiting[0]?.next_try_at).toBe(instant(next));
  expect(state.throttled_until).toBe(throttledUntil === null ? null : instant(90_000));
});

test("twenty are named, and all are counted", () => {
  const many = Array.from({ length: 50 }, (_, n) => link(`l${n}`, 1, n));
  const unnamed = { ...link("x", 1, 0), failure: undefined };
  const state = waitingState([...many, unnamed]);
  expect(state.waiting).toHaveLength(MOST_WAITING);
  expect(state.waiting.map((waiting) => waitingName(waiting)).slice(0, 2)).toEqual(["l0", "l1"]);
  expect(state.waiting_total).toBe(51);
});

test("parts wait together: the longest pause, the first twenty of all", () => {
  const one = waitingState([link("b", 1, 0)], { ...gate(NOW + 1_000), learnedLimit: 9 });
  const other = waitingState([link("a", 1, 0)], { ...gate(NOW + 2_000), learnedLimit: 5 });
  const all = allWaiting([one, waitingState([]), other]);
  expect(all.waiting.map((waiting) => waitingName(waiting))).toEqual(["a", "b"]);
  expect(all).toMatchObject({ waiting_total: 2, throttled_until: instant(2_000), learned_limit: 5 });
  expect(all.waits_for_place).toBe(false);
  expect(allWaiting([one, waitingState([], { ...gate(null), foundNoPlace: true })]).waits_for_place).toBe(
    true,
  );
  expect(allWaiting([])).toEqual(waitingState([]));
  expect(allWaiting([{ ...all, more: 1 } as typeof all])).toEqual(all);
});

test.for([
  [{ link: "link_1" }, "link_1"],
  [{ owner: "fp_1" }, "fp_1"],
  [{ line: 12, owner: "fp_1" }, "line 12, fp_1"],
] as const)("%o is called %s", ([name, words]) => {
  expect(waitingName(name)).toBe(words);
});

test("of one slice, the first twenty that are tried again are named", () => {
  const results = Array.from({ length: 30 }, (_, n) => ({
    n,
    outcome: n < 2 ? { kind: "complete" } : { kind: "transient", reason: "timeout" },
  }));
  const named = namedFailures(results, ({ n }) => ({ link: `l${n}` }));
  expect(named.map(({ n }) => n)).toEqual(results.map(({ n }) => n));
  expect(named.filter(({ failure }) => failure !== undefined)).toHaveLength(MOST_WAITING);
  expect(named[0]).toEqual(results[0]);
  expect(named[2]?.failure).toEqual({ name: { link: "l2" }, reason: "timeout" });
});
