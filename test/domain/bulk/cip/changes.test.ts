import { expect, test } from "vitest";
import { CHANGE_KINDS, fieldChanges, gradeOf } from "../../../../src/domain/bulk/cip/changes.js";

const FIELDS = ["approved_by", "watchlist_check_completed_at_text", "tax_id", "result"];

test("what matters most comes first, and what is the same does not come", () => {
  const before = {
    approved_by: "a",
    watchlist_check_completed_at_text: "1",
    tax_id: "consider",
    result: "clear",
  };
  const after = {
    approved_by: "b",
    watchlist_check_completed_at_text: "2",
    tax_id: "clear",
    result: "consider",
  };
  expect(fieldChanges(before, after, FIELDS).map(({ kind, field }) => [kind, field])).toEqual([
    ["clear_to_consider", "result"],
    ["consider_to_clear", "tax_id"],
    ["changed", "approved_by"],
    ["screened_again", "watchlist_check_completed_at_text"],
  ]);
  expect(fieldChanges(before, before, FIELDS)).toEqual([]);
});

test("a field that comes or goes has null on one side", () => {
  expect(fieldChanges({}, { tax_id: "clear" }, FIELDS)).toEqual([
    { kind: "changed", field: "tax_id", before: null, after: "clear" },
  ]);
});

test("grades follow the order of kinds", () => {
  expect(CHANGE_KINDS.map(gradeOf)).toEqual([0, 1, 2, 3, 4, 5]);
});
