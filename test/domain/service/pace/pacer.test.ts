import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { type CallLimits, Pacer, shareOf } from "../../../../src/domain/service/pace/pacer.js";

const NOW = 1_000_000;
const HOUR = 3_600_000;
const call = (operation = "read", subject = "a", isLong = false) => ({ operation, subject, isLong });
const NONE = Number.POSITIVE_INFINITY;
const pacer = (concurrency = 32, rps = NONE) => new Pacer({ concurrency, rps });
const taken = (of: Pacer, isLong = false, calls = 40) =>
  Array.from({ length: calls }, () => of.take(call("read", "a", isLong), NOW)).filter((is) => is).length;

/** A refusal: operation, subject, and seconds from its time that it asks to wait. */
type Refusal = readonly [operation: string, subject: string, seconds: number, at?: number];

describe("a pause holds", () => {
  const scopes = ["read a", "read b", "write a", "list c"];
  it.each<[rule: string, refusals: readonly Refusal[], held: readonly number[]]>([
    ["the operation of one subject", [["read", "a", 30]], [30, 0, 0, 0]],
    [
      "the same one longer, where it is refused again",
      [
        ["read", "a", 30],
        ["read", "a", 50],
      ],
      [50, 0, 0, 0],
    ],
    [
      "the operation, where a second subject is refused",
      [
        ["read", "a", 30],
        ["read", "b", 20],
      ],
      [30, 20, 0, 0],
    ],
    [
      "other subjects until the earlier end",
      [
        ["read", "a", 30],
        ["read", "x", 90],
      ],
      [30, 30, 0, 0],
    ],
    [
      "nobody else, where the first pause is over",
      [
        ["read", "a", 30],
        ["read", "b", 60, 31],
      ],
      [0, 91, 0, 0],
    ],
    [
      "one subject of each operation",
      [
        ["read", "a", 30],
        ["write", "a", 30],
      ],
      [30, 0, 30, 0],
    ],
    [
      "everything, where a second operation is refused",
      [
        ["read", "x", 30],
        ["read", "y", 20],
        ["write", "z", 40],
      ],
      [20, 20, 20, 20],
    ],
    ["an operation without subjects", [["read", "", 30]], [30, 30, 0, 0]],
    [
      "its subject alone, where it is longer than an hour",
      [
        ["read", "a", 86_400],
        ["read", "b", 86_400],
        ["write", "a", 86_400],
      ],
      [86_400, 86_400, 86_400, 0],
    ],
    [
      "no more where one of two is longer than an hour",
      [
        ["read", "a", 86_400],
        ["read", "x", 30],
      ],
      [86_400, 0, 0, 0],
    ],
  ])("%s", (_, refusals, held) => {
    const of = pacer();
    let now = NOW;
    for (const [operation, subject, seconds, at = 0] of refusals) {
      now = NOW + at * 1_000;
      of.refused(call(operation, subject), 429, now + seconds * 1_000, now);
    }
    const waits = scopes.map((scope) => of.pausedUntil(...(scope.split(" ") as [string, string])));
    expect(waits.map((end) => (end > now ? (end - NOW) / 1_000 : 0))).toEqual(held);
  });

  it("nothing where the service does not say how long", () => {
    const of = pacer();
    of.refused(call(), 429, 0, NOW);
    expect(of.pausedUntil("read", "a")).toBe(0);
  });

  it("everything that another process was told", () => {
    const of = pacer();
    of.pause(NOW + 5_000);
    of.pause(NOW + 3_000);
    expect([of.pausedUntil(), of.pausedUntil("read", "a")]).toEqual([NOW + 5_000, NOW + 5_000]);
  });
});

describe("the rate", () => {
  it("lets starts be evenly apart, but for the slack of timers", () => {
    const of = pacer(32, 10);
    expect(of.take(call(), NOW)).toBe(true);
    expect(of.freeAt).toBe(NOW + 90);
    expect(of.take(call(), NOW + 89)).toBe(false);
    expect(of.take(call(), NOW + 90)).toBe(true);
    expect(of.freeAt).toBe(NOW + 190);
  });

  it("counts from now on after a time without calls", () => {
    const of = pacer(32, 10);
    of.take(call(), NOW);
    of.take(call(), NOW + 5_000);
    expect(of.freeAt).toBe(NOW + 5_090);
  });
});

describe("places", () => {
  it.each([
    [32, 24],
    [8, 6],
    [4, 3],
    [2, 1],
    [1, 1],
  ])("of %i, long calls take %i together, and the others the rest", (places, long) => {
    const of = pacer(places);
    expect(taken(of, true)).toBe(long);
    expect(taken(of)).toBe(places - long);
  });

  it("of other limits hold for calls that come", () => {
    const of = pacer(4);
    taken(of);
    of.limit({ concurrency: 2, rps: NONE });
    for (let calls = 0; calls < 3; calls += 1) of.giveBack(call());
    expect(taken(of)).toBe(1);
  });
});

describe("places that a 429 halves", () => {
  /** Lets calls end, each replaced by the next one, and gives the places after each. */
  const afterCalls = (of: Pacer, calls: number) =>
    Array.from({ length: calls }, () => {
      taken(of);
      of.giveBack(call());
      return of.learned;
    });
  const refuse = (of: Pacer) => of.refused(call(), 429, 0, NOW);

  it("grow again by one a round, up to all", () => {
    const of = pacer(8);
    taken(of);
    expect(of.learned).toBeUndefined();
    refuse(of);
    expect([...new Set(afterCalls(of, 60))]).toEqual([4, 5, 6, 7, undefined]);
  });

  it("are halved once by the refusals of calls that were in flight together, and again by later ones", () => {
    const of = pacer();
    taken(of);
    for (let refused = 0; refused < 32; refused += 1) {
      refuse(of);
      of.giveBack(call());
    }
    expect(of.learned).toBe(16);
    refuse(of);
    expect(of.learned).toBe(8);
  });

  it.each([1, 3, 32])("of %i never fall below four, or below that", (concurrency) => {
    const of = pacer(concurrency);
    for (let round = 0; round < 9; round += 1) {
      refuse(of);
      afterCalls(of, 40);
    }
    refuse(of);
    expect(of.learned ?? concurrency).toBeGreaterThanOrEqual(Math.min(4, concurrency));
  });

  it("stay where one subject is paused, or the service is down; not where an operation is", () => {
    const of = pacer();
    of.refused(call("read", "a"), 429, NOW + 1_000, NOW);
    of.refused(call("read", "a"), 503, 0, NOW);
    expect(of.learned).toBeUndefined();
    of.refused(call("read", "b"), 429, NOW + 1_000, NOW);
    expect(of.learned).toBe(16);
  });

  it("are fewer than other limits allow", () => {
    const of = pacer();
    refuse(of);
    of.limit({ concurrency: 30, rps: NONE });
    expect(of.learned).toBe(16);
    of.limit({ concurrency: 10, rps: NONE });
    expect(of.learned).toBeUndefined();
  });
});

describe("a worker's share of what its fleet may do", () => {
  const OWN: CallLimits = { concurrency: 32, rps: NONE };
  const few: CallLimits = { concurrency: 3, rps: 2 };
  it.each<[string, CallLimits, CallLimits, number, boolean, CallLimits]>([
    [
      "alone: all but what is kept for a new one",
      OWN,
      { concurrency: 20, rps: 100 },
      1,
      false,
      { concurrency: 19, rps: 95 },
    ],
    ["one of four", OWN, { concurrency: 41, rps: 100 }, 4, false, { concurrency: 10, rps: 23.75 }],
    ["new", OWN, { concurrency: 41, rps: 100 }, 4, true, { concurrency: 1, rps: 5 }],
    ["new, by the rate alone", OWN, { concurrency: NONE, rps: 100 }, 4, true, { concurrency: 32, rps: 5 }],
    ["its own limits, where they are lower", few, { concurrency: 41, rps: 100 }, 4, false, few],
    ["without a limit of the fleet", OWN, { concurrency: NONE, rps: NONE }, 4, false, OWN],
    [
      "of fewer places than workers: one",
      OWN,
      { concurrency: 2, rps: NONE },
      4,
      false,
      { concurrency: 1, rps: NONE },
    ],
  ])("%s", (_, own, fleet, workers, isNew, share) => {
    expect(shareOf(own, fleet, workers, isNew)).toEqual(share);
  });

  test("all workers and a new one together never do more than the fleet may", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 50 }),
        fc.integer({ min: 51, max: 5_000 }),
        fc.double({ min: 0.1, max: 1e5, noNaN: true }),
        (workers, concurrency, rps) => {
          const known = shareOf(OWN, { concurrency, rps }, workers, false);
          const fresh = shareOf(OWN, { concurrency, rps }, workers + 1, true);
          expect(workers * known.concurrency + fresh.concurrency).toBeLessThanOrEqual(concurrency);
          expect(workers * known.rps + fresh.rps).toBeLessThanOrEqual(rps * 1.000001);
        },
      ),
    );
  });
});

test("a give-up hour is where a pause ends what meets it", () => {
  const of = pacer();
  of.refused(call("read", "a"), 429, NOW + HOUR, NOW);
  of.refused(call("read", "b"), 429, NOW + HOUR, NOW);
  expect(of.pausedUntil("read")).toBe(NOW + HOUR);
});
