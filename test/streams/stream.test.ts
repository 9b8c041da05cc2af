import { expect, test } from "vitest";
import { isHistory } from "../../src/lake/history/history-spec.js";
import { changes, observed } from "../../src/streams/stream.js";

const COLUMNS = { a: ["VARCHAR", "r.a", "a thing"] } as const;
const FROM = "x join origin o using (page_no)";

test("a history of changes has the owner of a list in its key, and says last what is gone and what has no column", () => {
  const { table, projection } = changes("things", "link", ["link_id", "a"], COLUMNS, "list");
  expect(isHistory(table)).toBe(true);
  expect(table).toMatchObject({ owner: ["fp_id", "link_id"], key: ["fp_id", "link_id", "a"] });
  expect(table.columns.map(({ name }) => name)).toEqual([
    "run_id",
    "observed_at",
    "fp_id",
    "a",
    "gone",
    "other_fields",
  ]);
  expect(projection).toMatch(
    /null::boolean as "gone", r.other_fields as "other_fields" from .*unnest\(list\)/,
  );
  expect(changes("things", "user", ["a"], COLUMNS, "list").table.key).toEqual(["fp_id", "a"]);
});

test("a stream may have a row for each run all the same", () => {
  const { table } = observed("things", COLUMNS, FROM);
  expect(isHistory(table)).toBe(false);
  expect(table.columns.map(({ name }) => name)).toEqual(["run_id", "observed_at", "fp_id", "a"]);
});
