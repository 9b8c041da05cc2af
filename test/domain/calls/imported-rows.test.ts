import { expect, test } from "vitest";
import {
  allNamesOf,
  fateOf,
  type ImportEvidence,
  ownAccounts,
  type SentRow,
  soughtNames,
} from "../../../src/domain/calls/imported-rows.js";

const sent = (id: number, values: object = {}): SentRow => ({
  ...{ account_id: "mine", transaction_id: `t${id}`, amount: `-${id}.50`, date: "2026-11-02" },
  ...{ description: "Rent", ...values },
});
const UNDER_IDS = ({ transaction_id, ...row }: SentRow) => ({ ...row, transaction_id });
const UNDER_ORIGINAL_IDS = ({ transaction_id, ...row }: SentRow) => ({
  ...{ ...row, account_id: "acc_1", transaction_id: `txn_${transaction_id}`, original_id: transaction_id },
  ...{ amount: String(row.amount).slice(1), date: `${row.date}T00:00:00Z` },
});
const WITHOUT_IDS = (row: SentRow) => {
  const { original_id: _, ...rest } = UNDER_ORIGINAL_IDS(row) as SentRow;
  return {
    ...rest,
    amount: Number(rest.amount),
    description: "Rent, cleaned",
    raw_description: row.description,
  };
};

/** What becomes of rows, of which the link has some. */
function fate(rows: readonly SentRow[], link: readonly SentRow[], evidence: Partial<ImportEvidence> = {}) {
  const whole = { isSeen: false, beside: [], ...evidence };
  const own = ownAccounts([{ id: "acc_1", original_id: "mine" }, { id: "acc_2" }]);
  const wanted = soughtNames(rows, whole);
  const there = new Map<string, Set<string>>();
  for (const row of link) {
    for (const name of allNamesOf(row, own)) {
      if (wanted.has(name)) there.set(name, (there.get(name) ?? new Set()).add(String(row.transaction_id)));
    }
  }
  return fateOf(rows, whole, there);
}

const ROWS = [sent(1), sent(2), sent(3)];

test.each([
  ["under their ids", UNDER_IDS],
  ["under ids of the service, with theirs beside them", UNDER_ORIGINAL_IDS],
])("of rows that come back %s, the others are missing", (_, back) => {
  expect(fate(ROWS, ROWS.slice(0, 2).map(back))).toEqual({
    found: 2,
    missing: [2],
    unknown: [],
    isUnsure: false,
  });
  expect(fate(ROWS, [back(sent(9))])).toMatchObject({ found: 0, missing: [], isUnsure: true });
  const beside = { beside: [{ account_id: "mine", transaction_id: "t9" }] };
  expect(fate(ROWS, [back(sent(9))], beside)).toMatchObject({ missing: [0, 1, 2], isUnsure: false });
});

test.each([
  ["is known by its content", [sent(1)], { found: 1, unknown: [1, 2] }],
  ["of another day is none", [sent(1, { date: "2026-11-03" })], { found: 0, unknown: [0, 1, 2] }],
  ["of another amount is none", [sent(1, { amount: "-1.51" })], { found: 0, unknown: [0, 1, 2] }],
  ["of another description is none", [sent(1, { description: "Tax" })], { found: 0, unknown: [0, 1, 2] }],
  [
    "that is there twice is unknown",
    [sent(1), sent(1, { transaction_id: "t7" })],
    { found: 0, unknown: [0, 1, 2] },
  ],
] as const)("where rows come back without ids, a row %s, and none counts as missing", (_, link, expected) => {
  expect(fate(ROWS, link.map(WITHOUT_IDS))).toEqual({ ...expected, missing: [], isUnsure: true });
});

test("two rows of one content are known by none", () => {
  const rows = [sent(1), sent(1, { transaction_id: "t7" })];
  expect(fate(rows, [WITHOUT_IDS(sent(1))])).toMatchObject({ found: 0, unknown: [0, 1] });
});

test("a row of the same id in another account is another one", () => {
  const other = [{ ...UNDER_ORIGINAL_IDS(sent(1)), account_id: "acc_2" }];
  expect(fate(ROWS, other, { isSeen: true })).toMatchObject({ found: 0, missing: [0, 1, 2] });
});
