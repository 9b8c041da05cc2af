import { expect, test } from "vitest";
import { type FrozenBulkRow, frozenLine } from "../../../src/domain/bulk/bulk-job.js";

const wrong = (rule: string, code = "blank"): FrozenBulkRow => {
  return { line: 3, row: null, problems: [{ line: 3, column: "fp_id", code, rule }], owner: "fp_9" };
};

test("a right row counts with all that it says, and as ever", () => {
  const row: FrozenBulkRow<{ fp_id: string }> = { line: 2, row: { fp_id: "fp_1" }, problems: [] };
  expect(frozenLine(row)).toBe('{"line":2,"row":{"fp_id":"fp_1"},"problems":[]}\n');
  expect(frozenLine({ ...row, result: { n: 1 } })).toBe(
    '{"line":2,"row":{"fp_id":"fp_1"},"problems":[],"result":{"n":1}}\n',
  );
});

test("a wrong row counts with line, owner, columns and codes, not with words", () => {
  const line = '{"line":3,"row":null,"problems":[["fp_id","blank"]],"owner":"fp_9"}\n';
  expect(["is blank", "has nothing in it"].map((rule) => frozenLine(wrong(rule)))).toEqual([line, line]);
  expect(frozenLine(wrong("is blank", "slash"))).not.toBe(line);
});
