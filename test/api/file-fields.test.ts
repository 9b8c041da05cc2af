import { expect, test } from "vitest";
import { dateOrInstant, day, idText, ownIdText } from "../../src/api/file-fields.js";

const isRight = (field: typeof day, value: unknown) => field.safeParse(value).success;

test.each([
  "2026-11-02",
  "2024-02-29",
  "2026-11-02T10:00Z",
  "2026-11-02T23:59:59.123+01:00",
  "2026-11-02T10:00:00",
])("%s is a day, alone or with a time", (value) => expect(isRight(dateOrInstant, value)).toBe(true));

test.each([
  "2026-02-29",
  "0000-01-01",
  "2026-11-02T24:00Z",
  "2026-11-2",
  "02.11.2026",
  " 2026-11-02",
  "",
  20261102,
  null,
])("%s is none", (value) => expect(isRight(dateOrInstant, value)).toBe(false));

test("a day has no time", () => {
  expect([isRight(day, "2026-11-02"), isRight(day, "2026-11-02T10:00Z")]).toEqual([true, false]);
});

test.each([
  ["", "is blank"],
  ["a/b", "has a slash"],
  ["..", "is a relative path"],
  ["a\u0000", "has a control character"],
  [" a", "has spaces around it"],
  [7, "is not text"],
  [undefined, "is missing"],
])("as an id of the service, %j %s", (value, problem) => {
  expect(idText.safeParse(value).error?.issues[0]?.message).toBe(problem);
});

test("an id of the customer's own may have a slash", () => {
  expect([isRight(ownIdText, "a/b"), isRight(ownIdText, "a\n")]).toEqual([true, false]);
});
