import fc from "fast-check";
import { expect, test } from "vitest";
import { bringUpLinks } from "../../../src/lake/lineage/bring-up-links.js";
import { materialize } from "../../../src/lake/materialize/materialize.js";
import { FeedLake } from "../../helpers/lake/feed-lake.js";
import { auditLinks } from "../../helpers/lake/lineage/audit-links.js";
import { type ExpectedLink, expectedLinks, namedIds } from "../../helpers/lake/lineage/expected-links.js";
import { linkRows } from "../../helpers/lake/lineage/link-rows.js";
import { linkNights, told } from "../../helpers/lake/lineage/told-links.js";

/** `npm run test:long` makes more; each takes seconds, because it writes many small commits. */
const RUNS = Math.min(40, Number(process.env.NIGHTLEDGER_PROPERTY_RUNS ?? 4));
const EVENINGS = 5;
const MOST_UPDATES = 3;

/** What follows some updates: which tables are brought up. */
const evening = fc.record({
  /** One leaves open departures untouched, so that only what they fit brings them in. */
  updates: fc.constantFrom(1, 1, 1, MOST_UPDATES),
  apply: fc.constantFrom("both", "both", "both", "transactions", "nothing"),
  compact: fc.nat({ max: 5 }),
  /** Few rows make parts of a link's accounts. */
  rangeRows: fc.constantFrom(4, 50_000),
});
const feed = fc.record({
  a: linkNights(EVENINGS * MOST_UPDATES, EVENINGS * MOST_UPDATES),
  b: linkNights(EVENINGS * MOST_UPDATES, EVENINGS * MOST_UPDATES),
  evenings: fc.array(evening, { minLength: EVENINGS, maxLength: EVENINGS }),
});

test("any feed brought up in any increments gives the rows of the documents, and of a rebuild from the whole feed", async () => {
  let decided = 0;
  await fc.assert(
    fc.asyncProperty(feed, async ({ a, b, evenings }) => {
      const at = await FeedLake.open();
      try {
        const links = [told("a", a), told("b'", b)];
        let to = 0;
        for (const { updates: more, apply, compact, rangeRows } of evenings) {
          const from = to;
          to += more;
          await at.feed(...links.flatMap((updates) => updates.slice(from, to).flat()));
          if (apply !== "nothing") await materialize(at.lake);
          if (apply === "both")
            expect((await bringUpLinks(at.lake, { prefix: "r", rangeRows })).because).toBeUndefined();
          if (compact === 0 && (await at.live()).length > 1) await at.compact();
        }
        await materialize(at.lake);
        expect((await bringUpLinks(at.lake, { prefix: "r" })).because).toBeUndefined();
        const rows = (await linkRows(at)).map((text) => JSON.parse(text) as Record<string, string | null>);
        for (const { candidate_ids } of rows)
          expect(JSON.parse(candidate_ids ?? "[]").length).toBeLessThan(11);
        expect(rows.map(inOrder)).toEqual(
          links.flatMap((updates) => expectedLinks(updates.slice(0, to))).map(rowOf),
        );
        expect(await auditLinks(at.directory)).toEqual([]);
        decided += rows.length;
      } finally {
        await at.release();
      }
    }),
    { numRuns: RUNS },
  );
  expect(decided).toBeGreaterThan(4 * RUNS);
}, 900_000);

/** The row that the table should have, every value as text. */
function rowOf({ pending, removal, posted, candidates, ...link }: ExpectedLink) {
  return {
    link_id: pending.link,
    fp_id: `fp_${pending.link}`,
    account_id: pending.account,
    pending_transaction_id: pending.id,
    posted_transaction_id: posted?.id ?? null,
    tier: link.tier,
    candidate_tier: link.candidate_tier ?? null,
    posted_candidates: String(candidates.length),
    pending_candidates: String(link.pending_candidates),
    candidate_ids: namedIds(
      candidates.map(({ id }) => id),
      candidates.length,
    ),
    currency: "CZK",
    type: "debit",
    pending_signed_amount: `${pending.amount}.0000000000`,
    posted_signed_amount: posted === undefined ? null : `${posted.amount}.0000000000`,
    pending_date: pending.date,
    posted_date: posted?.date ?? null,
    merchant_id: pending.merchant ?? null,
    description: pending.description ?? null,
    removed_run_id: removal.run,
    removed_sequence: String(removal.sequence),
    removal_inferred: String(removal.inferred ?? false),
    posted_run_id: posted?.run ?? null,
    posted_sequence: posted === undefined ? null : String(posted.sequence),
  };
}

function inOrder(row: Readonly<Record<string, string | null>>) {
  const ids = JSON.parse(row.candidate_ids ?? "[]") as string[];
  return { ...row, candidate_ids: namedIds(ids, Number(row.posted_candidates)) };
}
