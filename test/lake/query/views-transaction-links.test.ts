import { afterAll, beforeAll, expect, test } from "vitest";
import { transactionLinks } from "../../../src/lake/query/transaction-links-view.js";
import { lakeOfRows, type QueryRow } from "../../helpers/query/lake-of-rows.js";
import { feedOf, gone, other, P, type PairCases, pairWords, Q } from "../../helpers/query/pairs.js";

const CASES: PairCases = [
  { rule: "P goes and Q comes", updates: [[P("p")], [gone("p"), Q("q")]], expected: ["p → q exact 1:1"] },
  {
    rule: "the order within an update means nothing",
    updates: [[P("p")], [Q("q"), gone("p")]],
    expected: ["p → q exact 1:1"],
  },
  {
    rule: "Q comes some updates later",
    updates: [[P("p")], [gone("p")], [Q("x", other)], [Q("q", { date: "2026-11-24" })]],
    expected: ["p → q exact 1:1"],
  },
  {
    rule: "15 days later is too late",
    updates: [[P("p")], [gone("p")], [Q("q", { date: "2026-11-25" })]],
    expected: ["p → ? waiting 0:0"],
  },
  {
    rule: "a day earlier is another payment",
    updates: [[P("p")], [gone("p"), Q("q", { date: "2026-11-09" })]],
    expected: ["p → ? waiting 0:0"],
  },
  {
    rule: "Q that was there before P went is another payment",
    updates: [[P("p"), Q("q")], [gone("p")], [Q("q")]],
    expected: ["p → ? waiting 0:0"],
  },
  {
    rule: "Q that P became, and that goes and comes back, is not what another P became",
    updates: [[P("p")], [gone("p"), Q("q")], [P("p2")], [gone("p2"), gone("q")], [Q("q")]],
    expected: ["p → q exact 1:1", "p2 → ? waiting 0:0"],
  },
  {
    rule: "Q that P became comes back with Q of another P",
    updates: [[P("p")], [gone("p"), Q("q")], [P("p2")], [gone("p2"), gone("q")], [Q("q"), Q("q2")]],
    expected: ["p → q exact 1:1", "p2 → q2 exact 1:1"],
  },
  {
    rule: "Q counts in the account in which it came first",
    updates: [
      [P("p")],
      [gone("p"), Q("q")],
      [gone("q"), P("p2", { account_id: "other" })],
      [gone("p2"), Q("q", { account_id: "other" })],
    ],
    expected: ["p → q exact 1:1", "p2 → ? waiting 0:0"],
  },
  {
    rule: "Q with the id of a P that went is that one, not what another P became",
    updates: [[P("p1"), P("p2")], [gone("p1"), gone("p2")], [Q("p1")]],
    expected: ["p1 → ? returned 0:0", "p2 → ? waiting 0:0"],
  },
  {
    rule: "P does not become itself, though it comes posted and goes in one update",
    updates: [[P("p")], [gone("p")], [Q("p"), gone("p")], [Q("q")]],
    expected: ["p → q exact 1:1"],
  },
  {
    rule: "what has no day, or no amount, equals nothing",
    updates: [
      [P("p", { signed_amount: null }), P("p2", { date: null })],
      [gone("p"), gone("p2"), Q("q", { signed_amount: null }), Q("q2", { date: null })],
    ],
    expected: ["p → ? waiting 0:0", "p2 → ? waiting 0:0"],
  },
  ...(["account_id", "currency", "type"] as const).map((name) => ({
    rule: `another ${name} is another payment`,
    updates: [[P("p")], [gone("p"), Q("q", { [name]: "other" })]],
    expected: ["p → ? waiting 0:0"],
  })),
  {
    rule: "a pending row is no posted one, nor is one that says neither",
    updates: [[P("p")], [gone("p"), P("q"), { ...Q("r"), pending: null }]],
    expected: ["p → ? waiting 0:0"],
  },
  { rule: "a posted row that goes is no departure", updates: [[Q("p")], [gone("p"), Q("q")]], expected: [] },
  {
    rule: "posted under its own id, removed later: no departure",
    updates: [[P("p")], [Q("p")], [gone("p"), Q("q")]],
    expected: [],
  },
  {
    rule: "two P and one Q are listed",
    updates: [
      [P("p1"), P("p2")],
      [gone("p1"), gone("p2"), Q("q")],
    ],
    expected: ["p1 → ? ambiguous 1:2", "p2 → ? ambiguous 1:2"],
  },
  {
    rule: "one P and two Q are listed",
    updates: [[P("p")], [gone("p"), Q("q1"), Q("q2")]],
    expected: ["p → ? ambiguous 2:1"],
  },
  {
    rule: "what was ambiguous stays so, even if only one is left within its window",
    updates: [
      [P("p1"), P("p2", { date: "2026-11-20" })],
      [gone("p1"), gone("p2"), Q("q1", { date: "2026-11-21" })],
      [Q("q2", { date: "2026-11-28" })],
    ],
    expected: ["p1 → ? ambiguous 1:2", "p2 → ? ambiguous 2:2"],
  },
  {
    rule: "the same ticket every day: each night's pair is decided that night",
    updates: [
      [P("p1")],
      [gone("p1"), Q("q1"), P("p2", { date: "2026-11-11" })],
      [gone("p2"), Q("q2", { date: "2026-11-11" })],
    ],
    expected: ["p1 → q1 exact 1:1", "p2 → q2 exact 1:1"],
  },
  {
    rule: "a pair is never taken back by a Q that comes later",
    updates: [[P("p")], [gone("p"), Q("q1")], [Q("q2")]],
    expected: ["p → q1 exact 1:1"],
  },
  {
    rule: "another amount of the same merchant",
    updates: [[P("p", { merchant_id: "m" })], [gone("p"), Q("q", { ...other, merchant_id: "m" })]],
    expected: ["p → q amount_changed 1:1"],
  },
  {
    rule: "another amount and the same description, where only one has a merchant",
    updates: [
      [P("p", { description: "Tram" })],
      [gone("p"), Q("q", { ...other, merchant_id: "m", description: "Tram" })],
    ],
    expected: ["p → q amount_changed 1:1"],
  },
  {
    rule: "the same description of two merchants says nothing, and a blank one neither",
    updates: [
      [P("p1", { merchant_id: "m", description: "Card" }), P("p2", { description: " " })],
      [gone("p1"), gone("p2"), Q("q1", { ...other, merchant_id: "n", description: "Card" })],
      [Q("q2", { ...other, description: " " })],
    ],
    expected: ["p1 → ? waiting 0:0", "p2 → ? waiting 0:0"],
  },
  {
    rule: "the amount goes before the merchant",
    updates: [
      [P("p1", { merchant_id: "m" }), P("p2", { ...other, merchant_id: "m" })],
      [gone("p1"), gone("p2"), Q("q2", { ...other, merchant_id: "m" }), Q("q1", { merchant_id: "m" })],
    ],
    expected: ["p1 → q1 exact 1:1", "p2 → q2 exact 1:1"],
  },
  {
    rule: "ambiguous by merchant may still be paired by amount",
    updates: [
      [P("p", { merchant_id: "m" })],
      [gone("p"), Q("q1", { ...other, merchant_id: "m" }), Q("q2", { ...other, merchant_id: "m" })],
      [Q("q3", { merchant_id: "m" })],
    ],
    expected: ["p → q3 exact 1:1"],
  },
  {
    rule: "ambiguous by amount is not paired by merchant",
    updates: [
      [P("p1", { merchant_id: "m" }), P("p2")],
      [gone("p1"), gone("p2"), Q("q1")],
      [Q("q2", { ...other, merchant_id: "m" })],
    ],
    expected: ["p1 → ? ambiguous 1:2", "p2 → ? ambiguous 1:2"],
  },
  {
    rule: "P that comes back is no longer gone",
    updates: [[P("p")], [gone("p")], [P("p")], [Q("q")]],
    expected: ["p → ? returned 0:0"],
  },
  {
    rule: "a removal that is told again brings nothing back",
    updates: [[P("p")], [gone("p")], [gone("p")], [Q("q")]],
    expected: ["p → q exact 1:1"],
  },
  {
    rule: "P that goes and comes back in one update has not gone",
    updates: [[P("p")], [gone("p"), P("p")], [Q("q")]],
    expected: [],
  },
  {
    rule: "P that goes twice is two departures",
    updates: [[P("p")], [gone("p"), Q("q1")], [P("p")], [gone("p"), Q("q2")]],
    expected: ["p → q1 exact 1:1", "p → q2 exact 1:1"],
  },
  {
    rule: "a full resync that tells all over again changes nothing",
    updates: [
      [P("p"), P("w", other)],
      [gone("p"), gone("w"), Q("q"), Q("x", other), gone("x")],
      [
        P("p", { generation: 2 }),
        gone("p", 2),
        Q("q", { generation: 2 }),
        Q("x", { ...other, generation: 2 }),
        gone("x", 2),
      ],
    ],
    expected: ["p → q exact 1:1", "w → x exact 1:1"],
  },
  {
    rule: "a full resync does not pair a waiting one with what came and went before",
    updates: [
      [Q("x", other), P("w", other)],
      [gone("x")],
      [gone("w")],
      [Q("x", { ...other, generation: 2 }), gone("x", 2)],
    ],
    expected: ["w → ? waiting 0:0"],
  },
];

let lake: Awaited<ReturnType<typeof lakeOfRows>>;
let rows: QueryRow[];
beforeAll(async () => {
  const feeds = CASES.map(({ rule, updates }) => feedOf(rule, updates));
  lake = await lakeOfRows({ transaction_changes: [...feeds, MANY].flat() });
  rows = await lake.rowsOf("from transaction_links order by link_id, removed_sequence");
});
afterAll(() => lake.release());

test.each(CASES)("$rule", ({ rule, expected }) => {
  const found = rows.filter(({ link_id }) => link_id === rule);
  expect(found.map(pairWords)).toEqual(expected);
});

const MANY = feedOf("many", [[P("p")], [gone("p"), ...Array.from({ length: 30 }, (_, at) => Q(`q${at}`))]]);

test("of many candidates the first ten are named, in the order in which they came", () => {
  const [row] = rows.filter(({ link_id }) => link_id === "many");
  expect(row?.posted_candidates).toBe(30);
  expect(JSON.parse(String(row?.candidate_ids))).toEqual(Array.from({ length: 10 }, (_, at) => `q${at}`));
});

test("a pair has both amounts, days, runs and changes", async () => {
  const [row] = rows.filter(({ link_id }) => link_id === "another amount of the same merchant");
  expect(row).toMatchObject({
    pending_signed_amount: "-4.2000000000",
    posted_signed_amount: "-5.0000000000",
    removed_run_id: "run-1",
    removed_sequence: 2,
    posted_sequence: 3,
  });
});

test("of one link it says what it says of all", async () => {
  for (const { rule } of CASES) {
    const own = await lake.rowsOf(`from (${transactionLinks("listed", rule)}) order by removed_sequence`);
    expect(own).toEqual(rows.filter(({ link_id }) => link_id === rule));
  }
});
