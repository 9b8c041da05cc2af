import { expect, test } from "vitest";
import { isOutputAwaited } from "../../../../src/domain/onboarding/customer/customer-input.js";
import { DEFAULT_TIMING } from "../../../../src/domain/onboarding/timing.js";
import { FIRST_INPUT, PASSED, POSTED } from "../../../helpers/onboarding/customer-states.js";

test.for([
  ["a decision without one", FIRST_INPUT, PASSED, true],
  ["no decision", FIRST_INPUT, POSTED, false],
  ["a playbook without outputs", { ...FIRST_INPUT, outputExpected: false }, PASSED, false],
  ["no retries", { ...FIRST_INPUT, timing: { ...DEFAULT_TIMING, outputRetries: [] } }, PASSED, false],
] as const)("an output is awaited: %s", ([, input, state, expected]) => {
  expect(isOutputAwaited(input, state)).toBe(expected);
});
