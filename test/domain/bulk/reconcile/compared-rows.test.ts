import { expect, test } from "vitest";
import {
  type ComparedRow,
  compareRows,
  isSame,
  listedRow,
} from "../../../../src/domain/bulk/reconcile/compared-rows.js";

const row = (amount: string, changed: Partial<ComparedRow> = {}): ComparedRow => ({
  ...{ amount, type: "debit", currency: "USD", date: "2026-11-01", pending: false },
  ...changed,
});
const rows = (given: Record<string, ComparedRow>) => new Map(Object.entries(given));

test("amounts are equal by value, not by text", () => {
  const same = compareRows(rows({ a: row("1.5000000000") }), rows({ a: row("1.5") }));
  expect(isSame(same)).toBe(true);
  expect(same).toMatchObject({ lakeSum: "-1.5000000000", serviceSum: "-1.5000000000" });
});

test("rows of one side are named, and sums are signed by the type", () => {
  const lake = rows({ a: row("-3", { pending: true }), b: row("1", { type: "credit" }) });
  const service = rows({ b: row("1", { type: "credit" }), d: row("0.0000000001"), c: row("2") });
  expect(compareRows(lake, service)).toEqual({
    missingInLake: { count: 2, ids: ["c", "d"] },
    missingAtService: { count: 1, ids: ["a"] },
    unlistedPending: 1,
    changed: { count: 0, ids: [] },
    lakeSum: "-2.0000000000",
    serviceSum: "-1.0000000001",
  });
});

test.each([
  { amount: "2" },
  { type: "credit" },
  { currency: "EUR" },
  { date: "2026-11-02" },
  { pending: true },
])("a row that says something else is changed: %j", (changed) => {
  const { changed: found } = compareRows(rows({ a: row("1") }), rows({ a: row("1", changed) }));
  expect(found).toEqual({ count: 1, ids: ["a"] });
});

test("a hundred ids are named, and all are counted", () => {
  const many = new Map(Array.from({ length: 250 }, (_, at) => [`t${at + 100}`, row("1")]));
  const { missingInLake } = compareRows(new Map(), many);
  expect(missingInLake.count).toBe(250);
  expect(missingInLake.ids).toHaveLength(100);
  expect(missingInLake.ids[0]).toBe("t100");
});

test("an amount that can't be read leaves the sum unknown", () => {
  const { serviceSum } = compareRows(new Map(), rows({ a: row("1e3") }));
  expect(serviceSum).toBeNull();
});

test("what the service lists is read field by field", () => {
  const given = { transaction_id: "t", amount: "1", type: "debit", currency: "USD", date: "2026-11-01" };
  expect(listedRow({ ...given, pending: null })).toEqual(["t", row("1")]);
  expect(listedRow({ ...given, amount: 1e-7, date: "2026-11-01T00:00:00Z" })).toEqual([
    "t",
    row("0.0000001"),
  ]);
  expect(listedRow({ transaction_id: 5, amount: 1 })[0]).toBe("");
  expect(listedRow(null)[0]).toBe("");
});
