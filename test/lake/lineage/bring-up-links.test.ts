import { afterEach, beforeEach, expect, test } from "vitest";
import { bringUpLinks } from "../../../src/lake/lineage/bring-up-links.js";
import { materialize } from "../../../src/lake/materialize/materialize.js";
import { type Change, FeedLake } from "../../helpers/lake/feed-lake.js";
import { linksInShort } from "../../helpers/lake/lineage/link-rows.js";

let at: FeedLake;
beforeEach(async () => {
  at = await FeedLake.open();
});
afterEach(() => at.release());

async function bringUp() {
  await materialize(at.lake);
  return bringUpLinks(at.lake, { prefix: "run" });
}

/** Nights of one link; sequences and runs are given in order. */
const RULES: { rule: string; nights: Omit<Change, "sequence">[][]; expected: string[] }[] = [
  {
    rule: "the first load has no pending row that went",
    nights: [[{ id: "p", pending: true }, { id: "q" }]],
    expected: [],
  },
  {
    rule: "P goes and Q comes in one update",
    nights: [
      [{ id: "p", pending: true, amount: "4.20" }],
      [
        { id: "p", type: "removed" },
        { id: "q", amount: "4.20" },
      ],
    ],
    expected: ["a/p → q exact 1:1"],
  },
  {
    rule: "P goes tonight and Q comes in three days",
    nights: [
      [{ id: "p", pending: true }],
      [{ id: "p", type: "removed" }],
      [{ id: "x", amount: "9" }],
      [{ id: "q", date: "2026-05-08" }],
    ],
    expected: ["a/p → q exact 1:1"],
  },
  {
    rule: "P goes tonight and Q, dated 14 days later, comes another night",
    nights: [[{ id: "p", pending: true }], [{ id: "p", type: "removed" }], [{ id: "q", date: "2026-05-19" }]],
    expected: ["a/p → q exact 1:1"],
  },
  {
    rule: "a posted row that was there before P went is another payment, and so is one that comes again in a resync",
    nights: [[{ id: "p", pending: true }], [{ id: "q" }], [{ id: "p", type: "removed" }], [{ id: "q" }]],
    expected: ["a/p → ? waiting 0:0"],
  },
  {
    rule: "a posted row that comes back is not what a second pending one became",
    nights: [
      [{ id: "p", pending: true }],
      [{ id: "p", type: "removed" }, { id: "q" }],
      [{ id: "p2", pending: true }],
      [
        { id: "p2", type: "removed" },
        { id: "q", type: "removed" },
      ],
      [{ id: "q" }],
    ],
    expected: ["a/p → q exact 1:1", "a/p2 → ? waiting 0:0"],
  },
  {
    rule: "a posted row that was there before P went stays another payment if it changes and goes",
    nights: [
      [{ id: "p", pending: true }],
      [{ id: "q" }],
      [{ id: "p", type: "removed" }],
      [{ id: "q" }, { id: "q", type: "removed" }],
    ],
    expected: ["a/p → ? waiting 0:0"],
  },
  {
    rule: "a resync that tells all over again makes no second departure and no second pair",
    nights: [
      [{ id: "p", pending: true }],
      [{ id: "p", type: "removed" }, { id: "q" }],
      [{ id: "p", pending: true }, { id: "p", type: "removed" }, { id: "q" }],
    ],
    expected: ["a/p → q exact 1:1"],
  },
  {
    rule: "a first sync that tells what came and went pairs it",
    nights: [[{ id: "p", pending: true }, { id: "p", type: "removed" }, { id: "q" }]],
    expected: ["a/p → q exact 1:1"],
  },
  {
    rule: "P that comes back is no longer gone",
    nights: [
      [{ id: "p", pending: true }],
      [{ id: "p", type: "removed" }],
      [{ id: "p", pending: true }],
      [{ id: "q" }],
    ],
    expected: ["a/p → ? returned 0:0"],
  },
  {
    rule: "P that comes back posted, and is pending again before it goes, has gone twice",
    nights: [
      [{ id: "p", pending: true }],
      [{ id: "p", type: "removed" }],
      [{ id: "p" }],
      [
        { id: "p", pending: true },
        { id: "p", type: "removed" },
      ],
    ],
    expected: ["a/p → ? returned 0:0", "a/p → ? waiting 0:0"],
  },
];

test.each(RULES)("$rule", async ({ nights, expected }) => {
  let sequence = 0;
  for (const [night, changes] of nights.entries()) {
    await at.feed(...changes.map((change) => ({ ...change, sequence: ++sequence, run: `run-${night}` })));
    await bringUp();
  }
  expect(await linksInShort(at)).toEqual(expected);
});
