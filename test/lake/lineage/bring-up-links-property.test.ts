import fc from "fast-check";
import { expect, test } from "vitest";
import { bringUpLinks } from "../../../src/lake/lineage/bring-up-links.js";
import { materialize } from "../../../src/lake/materialize/materialize.js";
import { type Change, FeedLake } from "../../helpers/lake/feed-lake.js";
import { auditLinks } from "../../helpers/lake/lineage/audit-links.js";
import { linkRows } from "../../helpers/lake/lineage/link-rows.js";

/** `npm run test:long` makes more. */
const RUNS = Number(process.env.NIGHTLEDGER_PROPERTY_RUNS ?? 12);

const change = fc.record({
  link: fc.constantFrom("a", "a", "a", "b'"),
  /** The place of its id among those that can be meant; a removal means a live one. */
  place: fc.nat({ max: 30 }),
  type: fc.constantFrom("created", "created", "updated", "removed", "removed"),
  pending: fc.boolean(),
  amount: fc.constantFrom("0.1", "0.1", "7"),
  account: fc.constantFrom("acc", "acc", "acc", "other"),
  date: fc.constantFrom("2026-05-05", "2026-05-06", "2026-05-07", "2026-05-31"),
  merchant: fc.constantFrom("m", "n", " "),
  description: fc.constantFrom("tram", ""),
});
const IDS = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "x'y", "💸"];
type Drawn = typeof change extends fc.Arbitrary<infer T> ? T : never;
/** A night is the changes of one version, and whether the tables are brought up after it. */
const night = fc.record({
  changes: fc.array(change, { minLength: 1, maxLength: 10 }),
  apply: fc.constantFrom("both", "both", "both", "transactions", "nothing"),
  compact: fc.nat({ max: 5 }),
});

test("any feed brought up in any increments gives the rows of a rebuild from the whole feed", async () => {
  let decided = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(night, { minLength: 3, maxLength: 6 }), async (nights) => {
      const at = await FeedLake.open();
      try {
        const sequences = new Map<string, number>();
        const lives = new Map<string, string[]>();
        for (const [run, { changes, apply, compact }] of nights.entries()) {
          await at.feed(...changes.map((one) => numbered(one, `run-${run}`)));
          if (apply !== "nothing") await materialize(at.lake);
          if (apply === "both")
            expect((await bringUpLinks(at.lake, { prefix: "r" })).because).toBeUndefined();
          if (compact === 0 && (await at.live()).length > 1) await at.compact();
        }
        await materialize(at.lake);
        expect((await bringUpLinks(at.lake, { prefix: "r" })).because).toBeUndefined();
        decided += (await linkRows(at)).length;
        expect(await auditLinks(at.directory)).toEqual([]);

        function numbered({ place, ...one }: Drawn, run: string): Change {
          const live = [...(lives.get(one.link) ?? [])];
          const ids = one.type === "removed" && live.length > 0 ? live : IDS;
          const id = ids[place % ids.length] as string;
          const sequence = (sequences.get(one.link) ?? 0) + 1;
          sequences.set(one.link, sequence);
          const rest = live.filter((other) => other !== id);
          lives.set(one.link, one.type === "removed" ? rest : [...rest, id]);
          return { ...one, id, sequence, run };
        }
      } finally {
        await at.release();
      }
    }),
    { numRuns: RUNS },
  );
  expect(decided).toBeGreaterThan(RUNS);
}, 120_000);
