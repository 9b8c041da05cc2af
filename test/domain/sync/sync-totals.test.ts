import fc from "fast-check";
import { expect, test } from "vitest";
import { addTotals } from "../../../src/domain/counts.js";
import { noTotals, type SyncTotals, withFailure } from "../../../src/domain/sync/sync-totals.js";

const failure = (n: number) => ({ stream: "transactions", owner: `l${n}`, reason: "r" });

const totals: fc.Arbitrary<SyncTotals> = fc.record({
  users: fc.record({ total: fc.nat(9), failed: fc.nat(9) }),
  links: fc.record({
    synced: fc.nat(9),
    unchanged: fc.nat(9),
    still_reading: fc.nat(9),
    skipped: fc.nat(9),
    not_ready: fc.nat(9),
    failed: fc.nat(9),
    superseded: fc.nat(9),
  }),
  skipped: fc.record({
    by_reason: fc.dictionary(fc.constantFrom("link_gone", "state deleted", "x"), fc.nat(9)),
  }),
  rows: fc.record({ created: fc.nat(9), updated: fc.nat(9), removed: fc.nat(9), quarantined: fc.nat(9) }),
  pages: fc.nat(9),
  restarts: fc.nat(9),
  calls: fc.nat(9),
  answer_bytes: fc.nat(9),
  new_fields: fc.uniqueArray(fc.integer({ min: 10, max: 30 }).map(String), { maxLength: 10 }),
  failures: fc.array(fc.nat(99).map(failure), { maxLength: 60 }),
  failures_total: fc.nat(200),
});

test("parts add up in any grouping, and nothing is the neutral part", () => {
  fc.assert(
    fc.property(totals, totals, totals, (a, b, c) => {
      expect(addTotals(addTotals(a, b), c)).toEqual(addTotals(a, addTotals(b, c)));
      expect(addTotals(a, noTotals())).toEqual(a);
      const both = addTotals(a, b);
      expect(both.rows.created).toBe(a.rows.created + b.rows.created);
      expect(both.links.not_ready).toBe(a.links.not_ready + b.links.not_ready);
    }),
  );
});

test("the first hundred failures are kept, all are counted", () => {
  let sum = noTotals();
  for (let n = 0; n < 120; n += 1) sum = withFailure(sum, failure(n));
  expect(sum.failures).toHaveLength(100);
  expect(sum.failures[0]?.owner).toBe("l0");
  expect(sum.failures_total).toBe(120);
});
