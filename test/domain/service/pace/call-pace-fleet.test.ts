import fc from "fast-check";
import { expect, test } from "vitest";
import {
  type CallLimits,
  type FleetLimits,
  type Standing,
  shareOf,
} from "../../../../src/domain/service/pace/call-pace.js";

const OWN: CallLimits = { concurrency: 32, rps: undefined };
const ALONE: Standing = { workers: 1, isNew: false };
const OF_FOUR: Standing = { workers: 4, isNew: false };
const NEW: Standing = { workers: 4, isNew: true };

test.each<[string, CallLimits, FleetLimits, Standing, CallLimits]>([
  [
    "alone, all but what is kept for a new one",
    OWN,
    { concurrency: 20, rps: 100 },
    ALONE,
    { concurrency: 19, rps: 95 },
  ],
  ["one of four", OWN, { concurrency: 41, rps: 100 }, OF_FOUR, { concurrency: 10, rps: 23.75 }],
  ["new", OWN, { concurrency: 41, rps: 100 }, NEW, { concurrency: 1, rps: 5 }],
  [
    "new, where only the rate is limited",
    OWN,
    { concurrency: undefined, rps: 100 },
    NEW,
    { concurrency: 32, rps: 5 },
  ],
  [
    "its own limits, where they are lower",
    { concurrency: 3, rps: 2 },
    { concurrency: 41, rps: 100 },
    OF_FOUR,
    { concurrency: 3, rps: 2 },
  ],
  ["no limit of the fleet", OWN, { concurrency: undefined, rps: undefined }, OF_FOUR, OWN],
  [
    "fewer calls than workers: one each",
    OWN,
    { concurrency: 2, rps: undefined },
    OF_FOUR,
    { concurrency: 1, rps: undefined },
  ],
])("%s", (_, own, fleet, standing, share) => {
  expect(shareOf(own, fleet, standing)).toEqual(share);
});

test("all workers and a new one together never do more than the fleet may", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 50 }),
      fc.integer({ min: 51, max: 5_000 }),
      fc.double({ min: 0.1, max: 1e5, noNaN: true }),
      (workers, concurrency, rps) => {
        const known = shareOf(OWN, { concurrency, rps }, { workers, isNew: false });
        const fresh = shareOf(OWN, { concurrency, rps }, { workers: workers + 1, isNew: true });
        const places = workers * known.concurrency + fresh.concurrency;
        const rate = workers * (known.rps ?? 0) + (fresh.rps ?? 0);
        expect(places).toBeLessThanOrEqual(concurrency);
        expect(rate).toBeLessThanOrEqual(rps * 1.000001);
      },
    ),
  );
});
