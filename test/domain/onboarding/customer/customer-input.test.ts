import { expect, test } from "vitest";
import {
  type CustomerInput,
  isOutputAwaited,
  nextInput,
} from "../../../../src/domain/onboarding/customer/customer-input.js";
import { newCustomer } from "../../../../src/domain/onboarding/customer/customer-progress.js";
import type { WaitRequest } from "../../../../src/domain/onboarding/messages.js";
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
const WAITER: WaitRequest = {
  batchWorkflowId: "onboard-batch/2",
  batchId: "onb_2",
  runId: "run-2",
  row: 7,
  line: 9,
  attempt: 2,
  rowKey: "key",
  open: null,
};
const carried = newCustomer(null, DEFAULT_TIMING, 0);
const reused = [{ waiter: WAITER, version: 4 }];

test("the next execution continues the row, whatever other rows reuse", () => {
  const own = { ...carried, waiters: { reused, waiting: [] } };
  expect(nextInput(INPUT, own)).toEqual({ ...INPUT, carried: own });
});

test("the next execution of a stopped row continues for a row that reuses its outcomes", () => {
  const stopped = { ...carried, mail: { ...carried.mail, stopped: true }, waiters: { reused, waiting: [] } };
  const next = nextInput(INPUT, stopped);
  // What a waiter does not name stays.
  expect(next).toMatchObject({
    batchId: "onb_2",
    runId: "run-2",
    line: 9,
    attempt: 2,
    sink: true,
    latch: "run-1/0",
  });
  expect(next.open).toBeNull();
  expect(next.carried).toMatchObject({
    progress: { state: { version: 4 }, recorded: { version: 4 }, deadline: DEFAULT_TIMING.deadline },
    mail: { stopped: false },
    waiters: { reused: [], waiting: [] },
  });
});

test.for([
  ["a decision without one", INPUT, PASSED, true],
  ["no decision", INPUT, POSTED, false],
  ["a playbook without outputs", { ...INPUT, outputExpected: false }, PASSED, false],
  ["no retries", { ...INPUT, timing: { ...DEFAULT_TIMING, outputRetries: [] } }, PASSED, false],
] as const)("an output is awaited: %s", ([, input, state, expected]) => {
  expect(isOutputAwaited(input, state)).toBe(expected);
});
