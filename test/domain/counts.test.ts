import { expect, test } from "vitest";
import { added } from "../../src/domain/counts.js";

test.each([
  ["numbers by name", { a: 1 }, { a: 2 }, { a: 3 }],
  ["a name that the first lacks", {}, { a: 2 }, { a: 2 }],
  ["a record that the first lacks", {}, { of: { a: 1 } }, { of: { a: 1 } }],
  ["records within", { of: { a: 1, b: 1 } }, { of: { b: 2 } }, { of: { a: 1, b: 3 } }],
  ["nothing where the second is undefined", { of: { a: 1 } }, { of: undefined }, { of: { a: 1 } }],
])("adds %s", (_, one, other, sum) => {
  expect(added<object>(one, other)).toEqual(sum);
});
