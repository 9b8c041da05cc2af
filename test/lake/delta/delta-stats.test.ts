import { expect, test } from "vitest";
import { rowsOf, statsText } from "../../../src/lake/delta/delta-stats.js";

test("statistics carry rows, bounds and null counts as JSON", () => {
  const text = statsText(3n, {
    link_id: { min: "a", max: "z\u{1f600}", nullCount: 0 },
    date: { min: "2026-01-01", max: "2026-01-02", nullCount: 1n },
    sequence: { min: 1n, max: 9n, nullCount: 0n },
  });
  expect(JSON.parse(text)).toEqual({
    numRecords: 3,
    minValues: { link_id: "a", date: "2026-01-01", sequence: 1 },
    maxValues: { link_id: "z\u{1f600}", date: "2026-01-02", sequence: 9 },
    nullCount: { link_id: 0, date: 1, sequence: 0 },
  });
});

test.each([
  ["every value is null", null, null],
  ["a number has no exact JSON form", 1n, 9007199254740993n],
])("a column has no bounds at all where %s", (_, min, max) => {
  const stats = JSON.parse(statsText(1, { sequence: { min, max, nullCount: 1 } }));
  expect(stats).toEqual({ numRecords: 1, minValues: {}, maxValues: {}, nullCount: { sequence: 1 } });
});

test("where a text is too long for a bound, the bounds are those of all texts", () => {
  const link_id = { min: "a", max: null, nullCount: 1 };
  const { minValues, maxValues } = JSON.parse(statsText(2, { link_id }));
  expect([minValues.link_id, maxValues.link_id]).toEqual(["", "\u{10ffff}"]);
  const nulls = { link_id: { min: null, max: null, nullCount: 2 } };
  expect(JSON.parse(statsText(2, nulls)).minValues).toEqual({});
});

test("a file without a row count is named", () => {
  expect(rowsOf("t", { path: "x", stats: '{"numRecords":4}' })).toBe(4);
  expect(() => rowsOf("t", { path: "x" })).toThrow(/File x of table t has no row count/);
});
