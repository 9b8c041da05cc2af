import { expect, it } from "vitest";
import { standsFor, withoutValues } from "../../../src/domain/onboarding/outcome.js";

it.each([
  ["pass", "ob_1", true],
  ["error", "ob_1", true],
  ["failed", null, true],
  ["expired_no_response", "ob_1", true],
  ["cancelled", "ob_1", true],
  ["cancelled", null, false],
])("%s with onboarding %s stands for the row that comes again: %s", (status, onboardingId, stands) =>
  expect(standsFor({ status, onboarding_id: onboardingId })).toBe(stands),
);

it.each<[string, string, unknown[], string]>([
  ["a text", "no such address: 12 Elm St.", ["12 Elm St."], "no such address: [value]"],
  ["the longest first", "Anna Annason", ["Anna", "Anna Annason"], "[value]"],
  ["nested ones", "bad 4242 and x@y.z", [{ a: ["x@y.z"], b: 4242 }], "bad [value] and [value]"],
  ["with spaces around", "bad Bob!", [" Bob "], "bad [value]!"],
  ["but no short one", "a bad CA", ["CA", "a"], "a bad CA"],
  ["nothing", "fine", [null, true], "fine"],
])("values are taken out of a message: %s", (_, text, values, left) =>
  expect(withoutValues(text, values)).toBe(left),
);
