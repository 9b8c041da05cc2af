import { expect, test } from "vitest";
import { isOfMode } from "../../../src/domain/webhooks/rejection.js";

test.each([
  ["test", false, true],
  ["test", true, false],
  ["live", true, true],
  ["live", false, false],
  // Seven kinds have a shape that is not shown: they may not say.
  ["test", null, true],
  ["live", null, true],
] as const)("a receiver in %s mode, is_live %s: %s", (mode, isLive, taken) => {
  expect(isOfMode(mode, isLive)).toBe(taken);
});
