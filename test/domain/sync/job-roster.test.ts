import fc from "fast-check";
import { expect, it } from "vitest";
import { fpIdProblem } from "../../../src/domain/service/external-id.js";
import { canonicalRoster, rosterRows, rosterText } from "../../../src/domain/sync/job.js";

const row = fc.record(
  { fp_id: fc.string({ minLength: 1, unit: "binary" }), external_id: fc.string({ unit: "binary" }) },
  { requiredKeys: ["fp_id"] },
);
const rows = fc.uniqueArray(row, { selector: ({ fp_id }) => fp_id, maxLength: 30 });

it("the same users give the same text in whatever order they come", () => {
  fc.assert(fc.property(rows, (given) => rosterText(given) === rosterText([...given].reverse())));
});

it("the text read back is the canonical rows", () => {
  fc.assert(
    fc.property(rows, (given) => {
      expect(rosterRows(rosterText(given))).toEqual(canonicalRoster(given));
    }),
  );
  expect(rosterRows("")).toEqual([]);
});

it("rows are sorted by code units, not by locale", () => {
  expect(canonicalRoster([{ fp_id: "b" }, { fp_id: "ä" }, { fp_id: "B" }]).map(({ fp_id }) => fp_id)).toEqual(
    ["B", "b", "ä"],
  );
});

it.each([
  ["fp_id_test_1a", undefined],
  ["", "is blank"],
  ["..", "is a relative path"],
  ["a/b", "has a slash"],
  ["a\\b", "has a slash"],
  ["a\u007f", "has a control character"],
  ["\ufeffa", "has an invisible character (U+FEFF)"],
])("%j: %s", (value, problem) => expect(fpIdProblem(value)?.rule).toBe(problem));
