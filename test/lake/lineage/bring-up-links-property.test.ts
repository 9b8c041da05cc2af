import fc from "fast-check";
import { expect, test } from "vitest";
import { bringUpLinks } from "../../../src/lake/lineage/bring-up-links.js";
import { materialize } from "../../../src/lake/materialize/materialize.js";
import { type Change, FeedLake } from "../../helpers/lake/feed-lake.js";
import { auditLinks } from "../../helpers/lake/lineage/audit-links.js";
import { linkRows } from "../../helpers/lake/lineage/link-rows.js";

/** `npm run test:long` makes more; each takes seconds, because it writes many small commits. */
const RUNS = Math.min(40, Number(process.env.NIGHTLEDGER_PROPERTY_RUNS ?? 12));

const change = fc.record({
  link: fc.constantFrom("a", "a", "a", "b'"),
  /** The place of its id among those that can be meant; a removal means a live one. */
  place: fc.nat({ max: 30 }),
  type: fc.constantFrom("created", "created", "updated", "removed", "removed"),
  pending: fc.boolean(),
  amount: fc.constantFrom("0.1", "0.1", "7"),
  account: fc.constantFrom("acc", "acc", "acc", "acc", "acc", "other"),
  date: fc.constantFrom("2026-05-05", "2026-05-05", "2026-05-06", "2026-05-31"),
  merchant: fc.constantFrom("m", "n", " "),
  description: fc.constantFrom("tram", ""),
});
/** Few, so that they go and come back. */
const IDS = ["1", "2", "3", "4", "x'y", "💸"];
type Drawn = typeof change extends fc.Arbitrary<infer T> ? T : never;
/** A night is the changes of one version, after a full resync of link a or none, and which tables are brought up after it. */
const night = fc.record({
  changes: fc.array(change, { minLength: 1, maxLength: 10 }),
  resync: fc.constantFrom(false, false, false, true),
  apply: fc.constantFrom("both", "both", "both", "transactions", "nothing"),
  compact: fc.nat({ max: 5 }),
  /** Few rows make parts of a link's accounts. */
  rangeRows: fc.constantFrom(2, 5, 50_000),
});

/** What the service knows of each link, told as a feed. */
class ToldLinks {
  readonly #links = new Map<string, { sequence: number; generation: number; live: Map<string, Drawn> }>();
  readonly #gone = new Map<string, Drawn>();

  tell({ place, ...one }: Drawn, run: string): Change {
    const { live } = this.#of(one.link);
    const ids = one.type === "removed" && live.size > 0 ? [...live.keys()] : IDS;
    const id = ids[place % ids.length] as string;
    const last = live.get(id);
    if (one.type !== "removed") live.set(id, { place, ...one });
    else if (live.delete(id) && last !== undefined) this.#gone.set(`${one.link}/${id}`, last);
    return this.#numbered({ ...one, id, run });
  }

  /** Tells a link again: what came and went, what is live, and by inference what was not told. */
  tellAgain(link: string, run: string): Change[] {
    const of = this.#of(link);
    of.generation += 1;
    const past = [...this.#gone].filter(([key]) => key.startsWith(`${link}/`) && !of.live.has(idOf(key)));
    const lost = [...of.live.keys()].filter((_, at) => at % 3 === 2);
    for (const id of lost) of.live.delete(id);
    const told = { link, run };
    return [
      ...past.flatMap(([key, { place: _, ...one }]) => [
        { ...one, ...told, id: idOf(key), type: "created" as const },
        { ...told, id: idOf(key), type: "removed" as const },
      ]),
      ...[...of.live].map(([id, { place: _, ...one }]) => ({
        ...{ ...one, ...told, id },
        type: "created" as const,
      })),
      ...lost.map((id) => ({ ...told, id, type: "removed" as const, inferred: true })),
    ].map((one) => this.#numbered(one));
  }

  #of(link: string) {
    const found = this.#links.get(link) ?? { sequence: 0, generation: 1, live: new Map<string, Drawn>() };
    this.#links.set(link, found);
    return found;
  }

  #numbered(one: Omit<Change, "sequence"> & { readonly link: string }): Change {
    const of = this.#of(one.link);
    of.sequence += 1;
    return { ...one, sequence: of.sequence, generation: of.generation };
  }
}

const idOf = (key: string) => key.slice(key.indexOf("/") + 1);

test("any feed brought up in any increments gives the rows of a rebuild from the whole feed", async () => {
  let decided = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(night, { minLength: 3, maxLength: 6 }), async (nights) => {
      const at = await FeedLake.open();
      try {
        const told = new ToldLinks();
        for (const [night, { changes, resync, apply, compact, rangeRows }] of nights.entries()) {
          const run = `run-${night}`;
          const again = resync ? told.tellAgain("a", run) : [];
          await at.feed(...again, ...changes.map((one) => told.tell(one, run)));
          if (apply !== "nothing") await materialize(at.lake);
          if (apply === "both")
            expect((await bringUpLinks(at.lake, { prefix: "r", rangeRows })).because).toBeUndefined();
          if (compact === 0 && (await at.live()).length > 1) await at.compact();
        }
        await materialize(at.lake);
        expect((await bringUpLinks(at.lake, { prefix: "r" })).because).toBeUndefined();
        decided += (await linkRows(at)).length;
        expect(await auditLinks(at.directory)).toEqual([]);
      } finally {
        await at.release();
      }
    }),
    { numRuns: RUNS },
  );
  expect(decided).toBeGreaterThan(RUNS);
}, 900_000);
