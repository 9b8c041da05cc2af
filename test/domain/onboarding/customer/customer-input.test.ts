import { expect, test } from "vitest";
import {
  type CustomerInput,
  isOutputAwaited,
} from "../../../../src/domain/onboarding/customer/customer-input.js";
import { DEFAULT_TIMING } from "../../../../src/domain/onboarding/timing.js";
import { FIRST_ROW, PASSED, POSTED } from "../../../helpers/onboarding/customer-states.js";

const INPUT: CustomerInput = {
  batchWorkflowId: "onboard-batch/1",
  ...FIRST_ROW,
  sink: true,
  prepare: true,
  open: null,
  syncTimeoutSecs: null,
  plainOutput: false,
  outputExpected: true,
  timing: DEFAULT_TIMING,
};

test.for([
  ["a decision without one", INPUT, PASSED, true],
  ["no decision", INPUT, POSTED, false],
  ["a playbook without outputs", { ...INPUT, outputExpected: false }, PASSED, false],
  ["no retries", { ...INPUT, timing: { ...DEFAULT_TIMING, outputRetries: [] } }, PASSED, false],
] as const)("an output is awaited: %s", ([, input, state, expected]) => {
  expect(isOutputAwaited(input, state)).toBe(expected);
});
