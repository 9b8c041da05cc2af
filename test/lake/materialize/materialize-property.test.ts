import fc from "fast-check";
import { expect, test } from "vitest";
import { materialize } from "../../../src/lake/materialize/materialize.js";
import { type Change, FeedLake } from "../../helpers/lake/feed-lake.js";

/** `npm run test:long` makes more. */
const RUNS = Number(process.env.NIGHTLEDGER_PROPERTY_RUNS ?? 6);
const AMOUNTS = ["0.1", "-0.01", "999999999999999999.9999999999", "0.0000000001", "123456789012345678.9"];
const DATES = ["2026-05-05", "2026-05-31", "2026-06-01", "2024-02-29", "0001-01-01", "9999-12-31"];

const change = fc.record({
  link: fc.constantFrom("a", "b", "c'", "é"),
  id: fc.constantFrom("1", "2", "3", "4", "5", "x'y", "💸"),
  type: fc.constantFrom("created", "created", "updated", "removed"),
  amount: fc.constantFrom(...AMOUNTS),
  date: fc.constantFrom(...DATES),
});
/** A night is the changes of one version and whether the table is brought up to date, or compacted, after it. */
const night = fc.record({
  changes: fc.array(change, { maxLength: 12 }),
  apply: fc.boolean(),
  compact: fc.nat({ max: 4 }),
});

test("any feed applied in any increments equals the newest row of each key that was not removed", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(night, { minLength: 1, maxLength: 6 }), async (nights) => {
      const at = await FeedLake.open();
      try {
        const truth = new Map<string, string>();
        const sequences = new Map<string, number>();
        for (const { changes, apply, compact } of nights) {
          await at.feed(...shuffled(changes.map((one) => apply1(one))));
          if (!apply) continue;
          await materialize(at.lake);
          expect((await at.rows()).sort()).toEqual(expected(truth));
          if (compact === 0 && (await at.live()).length > 1) await at.compact();
        }
        await materialize(at.lake);
        expect((await at.rows()).sort()).toEqual(expected(truth));
        expect(await at.unreferenced()).toEqual([]);

        function apply1({
          link,
          id,
          type,
          amount,
          date,
        }: Required<Pick<Change, "link" | "id" | "type" | "amount" | "date">>): Change {
          const sequence = (sequences.get(link) ?? 0) + 1;
          sequences.set(link, sequence);
          if (type === "removed") truth.delete(`${link}/${id}`);
          else truth.set(`${link}/${id}`, `${amount} ${date}`);
          return { link, id, sequence, type, amount, date };
        }
      } finally {
        await at.release();
      }
    }),
    // Nothing at all: no table is there.
    { numRuns: RUNS, examples: [[[{ changes: [], apply: false, compact: 0 }]]] },
  );
});

/** The order of rows in a file means nothing. */
function shuffled(changes: Change[]): Change[] {
  return changes
    .map((one, at) => ({ one, by: (at * 7919) % 31 }))
    .sort((a, b) => a.by - b.by)
    .map(({ one }) => one);
}

function expected(truth: ReadonlyMap<string, string>): string[] {
  return [...truth].map(([key, value]) => `${key} ${value}`).sort();
}
