import { expect, test } from "vitest";
import { isOpen } from "../../../src/domain/onboarding/verdict.js";

test.for([
  ["needs_customer", false, true],
  ["pending", false, true],
  ["pass", false, false],
  ["pass", true, true],
  ["error", false, false],
  ["brand_new", false, true],
  ["failed", false, false],
  ["expired_no_response", false, false],
  ["cancelled", false, false],
] as const)("an outcome %s, review %s, is open: %s", ([status, review, expected]) => {
  expect(isOpen({ status, review })).toBe(expected);
});
