import { afterAll, beforeAll, expect, test } from "vitest";
import { transactionLinks } from "../../../src/lake/query/transaction-links-view.js";
import { lakeOfRows } from "../../helpers/query/lake-of-rows.js";
import { feedOf, gone, other, P, type PairCases, pairWords, Q } from "../../helpers/query/pairs.js";

/** Feeds of a service that replaces pending rows: it names none that went. */
const CASES: PairCases = [
  {
    rule: "each pending row becomes the next one, and the last of them the posted one",
    updates: [[P("p1")], [P("p2")], [P("p3")], [Q("q")]],
    expected: ["p1 → p2 exact 1:1", "p2 → p3 exact 1:1", "p3 → q exact 1:1"],
  },
  {
    rule: "one that comes again under its id, pending or posted, is itself",
    updates: [[P("p"), P("r", other)], [P("p"), Q("r", other)], [Q("p")]],
    expected: [],
  },
  {
    rule: "other rows of its own update are not what it became",
    updates: [[P("p"), P("same")], [Q("x", other)]],
    expected: ["p → ? waiting 0:0", "same → ? waiting 0:0"],
  },
  {
    rule: "two alike become either of two",
    updates: [
      [P("p"), P("r")],
      [Q("x"), Q("y")],
    ],
    expected: ["p → ? ambiguous 2:2", "r → ? ambiguous 2:2"],
  },
  {
    rule: "what a full resync does not bring back went with the update before",
    updates: [[P("p")], [Q("q")], [Q("q"), { ...gone("p"), inferred: true }]],
    expected: ["p → q exact 1:1"],
  },
  {
    rule: "one that a later update has again came back itself",
    updates: [[P("p")], [Q("x", other)], [P("p")]],
    expected: ["p → ? returned 0:0"],
  },
  {
    rule: "with an amount that changed, by its merchant",
    updates: [[P("p", { merchant_id: "m" })], [Q("q", { ...other, merchant_id: "m" })]],
    expected: ["p → q amount_changed 1:1"],
  },
];

let lake: Awaited<ReturnType<typeof lakeOfRows>>;
beforeAll(async () => {
  lake = await lakeOfRows({
    transaction_changes: CASES.flatMap(({ rule, updates }) => feedOf(rule, updates)),
  });
});
afterAll(() => lake.release());

test.each(CASES)("$rule", async ({ rule, expected }) => {
  const found = await lake.rowsOf(`from (${transactionLinks("replaced", rule)}) order by removed_sequence`);
  expect(found.map(pairWords)).toEqual(expected);
});
