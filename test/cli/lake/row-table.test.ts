import { expect, test } from "vitest";
import { tableOf } from "../../../src/cli/lake/row-table.js";

test("a table has a rule below its header only", () => {
  const lines = tableOf([{ id: 1n }, { id: "├ a" }, { id: null }]).split("\n");
  expect(lines).toEqual(["┌─────┐", "│ id  │", "├─────┤", "│ 1   │", "│ ├ a │", "│     │", "└─────┘"]);
});

test("control characters are shown escaped, in names too, and no value breaks its row", () => {
  const text = tableOf([{ "a\tb": "x\ty\r\nz\u001b[2J\u0085\u202e" }, { "a\tb": { list: ["\n"] } }]);
  expect(text.split("\n")).toHaveLength(6);
  expect(text).toContain("a\\tb");
  expect(text).toContain(String.raw`x\ty\r\nz\u001b[2J\u0085\u202e`);
  expect(text).toContain(String.raw`{"list":["\n"]}`);
  expect(text.replaceAll("\n", "")).not.toMatch(/\p{Cc}/u);
});

test("no rows are said to be none", () => {
  expect(tableOf([])).toBe("no rows");
});
