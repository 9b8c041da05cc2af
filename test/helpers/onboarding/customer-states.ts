import type { CustomerInput } from "../../../src/domain/onboarding/batch/batch-state.js";
import { type CustomerState, UNPOSTED } from "../../../src/domain/onboarding/customer/customer-state.js";
import { type OpenCustomer, openCustomer } from "../../../src/domain/onboarding/customer/open-customer.js";
import { customerKey } from "../../../src/domain/onboarding/follow/shard.js";
import type { CustomerEvent } from "../../../src/domain/onboarding/messages.js";
import { DEFAULT_TIMING } from "../../../src/domain/onboarding/timing.js";
import type { EventKind } from "../../../src/domain/service/event-kind.js";

export const FIRST_ROW = {
  batchId: "onb_1",
  runId: "run-1",
  row: 0,
  line: 2,
  attempt: 1,
  key: customerKey("pb_1", "7f00000000000000000000000000000f"),
  rowKey: "key",
  authEpoch: "run-1/0",
  retry: false,
  before: null,
  startedAt: "2026-11-22T10:00:00Z",
};

export const FIRST_INPUT: CustomerInput = {
  batchWorkflowId: "onboard-batch/1",
  ...FIRST_ROW,
  prepare: false,
  open: null,
  syncTimeoutSecs: null,
  plainOutput: false,
  outputExpected: true,
  timing: DEFAULT_TIMING,
};

/** A row that its batch has just handed over. */
export function openRow(
  input: Partial<CustomerInput> = {},
  change: Partial<OpenCustomer> = {},
): OpenCustomer {
  return { ...openCustomer({ ...FIRST_INPUT, ...input }, 0), ...change };
}

export const POSTED: CustomerState = { ...UNPOSTED, onboardingId: "ob_1", status: "pending", review: false };
export const PASSED: CustomerState = { ...POSTED, status: "pass", phase: "final", decidedBy: "webhook" };
/** Decided, and nobody has said whether a reviewer has to decide. */
export const UNSAID: CustomerState = { ...PASSED, phase: "people", review: null };
export const IN_REVIEW: CustomerState = { ...PASSED, phase: "people", review: true };
export const INCOMPLETE: CustomerState = { ...POSTED, status: "incomplete", phase: "people" };

export const event = (kind: EventKind, change: Partial<CustomerEvent> = {}): CustomerEvent => ({
  messageId: "msg_1",
  kind,
  onboardingId: "ob_1",
  status: null,
  review: null,
  playbookVersion: null,
  at: null,
  ...change,
});
export const completed = (status: string, review = false) =>
  event("service.onboarding.completed", { status, review: review });
