import fc from "fast-check";
import { expect, test } from "vitest";
import { type Departure, dayNumber, type TransactionState } from "../../../src/domain/lineage/departure.js";
import { LinkLineage } from "../../../src/domain/lineage/link-lineage.js";
import type { Change } from "../../helpers/lake/feed-lake.js";
import {
  daysBetween,
  type ExpectedLink,
  expectedLinks,
  liveAfter,
  namedIds,
} from "../../helpers/lake/lineage/expected-links.js";
import { linkNights, told } from "../../helpers/lake/lineage/told-links.js";

/** `npm run test:long` makes many more. */
const RUNS = 100 * Number(process.env.NIGHTLEDGER_PROPERTY_RUNS ?? 1);

/** Nights of a link, and after which of them the table is brought up. */
const feeds = linkNights(12, 24).chain((nights) =>
  fc.record({
    updates: fc.constant(told("a", nights)),
    broughtUp: fc.array(fc.boolean(), { minLength: nights.length, maxLength: nights.length }),
  }),
);

test("any feed, brought up in any parts, gives the rows that a reader of the documents expects", () => {
  const seen = new Map<string, number>();
  fc.assert(
    fc.property(feeds, ({ updates, broughtUp }) => {
      const expected = expectedLinks(updates);
      expect(broken(expected)).toEqual([]);
      const rows = expected.map(rowOfExpected);
      expect(judged(updates, () => false)).toEqual(rows);
      expect(judged(updates, () => true)).toEqual(rows);
      expect(judged(updates, (night) => broughtUp[night] === true)).toEqual(rows);
      for (const tier of new Set(expected.map(({ tier }) => tier))) seen.set(tier, (seen.get(tier) ?? 0) + 1);
    }),
    { numRuns: RUNS },
  );
  // A generator that no longer makes them would leave their rules untested.
  for (const tier of ["exact", "amount_changed", "ambiguous", "waiting", "returned"]) {
    expect(seen.get(tier), tier).toBeGreaterThan(RUNS / 3);
  }
}, 900_000);

/** What breaks a promise of the documents, whatever else is expected. */
function broken(links: readonly ExpectedLink[]): string[] {
  const posted = links.flatMap((link) =>
    link.posted === undefined ? [] : [{ ...link, posted: link.posted }],
  );
  const keys = posted.map((link) => JSON.stringify([link.posted.account, link.posted.id]));
  return [
    ...keys.filter((key, at) => keys.indexOf(key) !== at).map((key) => `two became ${key}`),
    ...posted.flatMap((link) => {
      const { pending, removal } = link;
      const days = daysBetween(pending, link.posted);
      const night = (run = "") => Number(run.replace("run-", ""));
      return [
        ...(days < 0 || days > 14 ? [`${days} days`] : []),
        ...(night(link.posted.run) < night(removal.run) ? ["back in time"] : []),
        ...(pending.id === link.posted.id ? ["became itself"] : []),
        ...(pending.account !== link.posted.account ? ["another account"] : []),
        ...((pending.amount === link.posted.amount) !== (link.tier === "exact") ? ["wrong tier"] : []),
      ];
    }),
  ];
}

/** Judges updates, and goes on from the table and the live transactions after some of them, as the next process does. */
function judged(updates: readonly (readonly Change[])[], isBroughtUpAfter: (night: number) => boolean) {
  const table = new Map<number, Departure>();
  let live = new Map<string, Change>();
  let lineage = new LinkLineage();
  for (const [night, update] of updates.entries()) {
    lineage.apply(
      update.map((change) => ({
        ...{ id: change.id, sequence: change.sequence, generation: change.generation ?? 1 },
        state: change.type === "removed" ? null : stateOf(change),
      })),
    );
    for (const departure of lineage.changed) table.set(departure.sequence, departure);
    live = liveAfter([...live.values(), ...update]);
    if (isBroughtUpAfter(night)) lineage = continued([...table.values()], live);
  }
  return [...table.values()].sort((one, other) => one.sequence - other.sequence).map(rowOf);
}

function continued(table: readonly Departure[], live: ReadonlyMap<string, Change>): LinkLineage {
  const lineage = new LinkLineage();
  for (const [id, change] of live) lineage.addLive(id, stateOf(change));
  for (const departure of table) {
    lineage.addDeparted(departure.id);
    if (departure.posted !== undefined) {
      lineage.addPaired(departure.posted.id, departure.state.account_id);
    } else if (departure.tier !== "returned") lineage.addOpen({ ...departure });
  }
  return lineage;
}

function stateOf({ account, amount, date, pending, merchant, description }: Change): TransactionState {
  return {
    account_id: account ?? null,
    currency: "EUR",
    type: "debit",
    signed_amount: amount ?? null,
    day: date === undefined ? null : dayNumber(date),
    pending: pending ?? null,
    merchant_id: merchant ?? null,
    description: description ?? null,
  };
}

function rowOf(departure: Departure): string {
  const { id, sequence, tier, candidate_tier, posted, candidate_ids } = departure;
  const { posted_candidates: qs, pending_candidates: ps } = departure;
  return inWords([
    sequence,
    id,
    posted?.sequence,
    tier,
    candidate_tier,
    qs,
    ps,
    ...namedIds(candidate_ids, qs),
  ]);
}

function rowOfExpected({ pending, removal, posted, candidates, ...link }: ExpectedLink): string {
  const { tier, candidate_tier, pending_candidates: ps } = link;
  const qs = candidates.length;
  const ids = candidates.map(({ id }) => id);
  return inWords([
    removal.sequence,
    pending.id,
    posted?.sequence,
    tier,
    candidate_tier,
    qs,
    ps,
    ...namedIds(ids, qs),
  ]);
}

const inWords = (values: readonly unknown[]) => values.map((value) => value ?? "-").join(" ");
