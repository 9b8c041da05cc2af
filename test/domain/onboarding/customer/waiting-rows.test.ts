import { expect, test } from "vitest";
import type { CustomerInput } from "../../../../src/domain/onboarding/batch/batch-rows.js";
import { afterFailure, UNPOSTED } from "../../../../src/domain/onboarding/customer/customer-state.js";
import {
  decideWaiter,
  type ProcessedCustomer,
  type ReusedRow,
} from "../../../../src/domain/onboarding/customer/waiting-rows.js";
import { FIRST_INPUT, PASSED } from "../../../helpers/onboarding/customer-states.js";

const OUTCOME = { line: 2, attempt: 1, version: 3 };
const waiter = (change: Partial<CustomerInput> = {}): CustomerInput => ({
  ...FIRST_INPUT,
  batchWorkflowId: "onboard-batch/2",
  batchId: "onb_2",
  runId: "run-2",
  row: 7,
  line: 9,
  attempt: 1,
  rowKey: "key",
  authEpoch: "run-2/0",
  ...change,
});
const customer = (change: Partial<ProcessedCustomer> = {}): ProcessedCustomer => ({
  row: { batchId: "onb_1", line: 2, attempt: 1, rowKey: "key" },
  state: { ...PASSED, version: 3 },
  endIsOwn: false,
  ...change,
});
const open = { onboardingId: "ob_1", status: "pass", review: false, version: 4 };
const OWN = { batchId: "onb_1", line: 2, attempt: 1 };
const REUSED: readonly ReusedRow[] = [{ waiter: waiter(), version: 1 }];

test.for<[string, CustomerInput, ProcessedCustomer, readonly ReusedRow[], unknown]>([
  ["another row of the customer", waiter({ rowKey: "other" }), customer(), [], "wait"],
  ["the same row", waiter(), customer(), [], { copy: OUTCOME, version: 1, reuses: true }],
  [
    "the same row that has another outcome",
    waiter({ open: { ...open, status: "pending" } }),
    customer(),
    [],
    { copy: OUTCOME, version: 5, reuses: true },
  ],
  [
    "the same row that has this outcome",
    waiter({ open }),
    customer(),
    [],
    { copy: null, version: 4, reuses: true },
  ],
  [
    "a later run of a row that reuses it",
    waiter(),
    customer(),
    REUSED,
    { copy: null, version: 1, reuses: false },
  ],
  [
    "a later run of a row that reuses it and has an outcome",
    waiter({ open: { ...open, status: "pending" } }),
    customer(),
    REUSED,
    { copy: null, version: 4, reuses: false },
  ],
  [
    "a later run of the row itself",
    waiter({ ...OWN, row: 0 }),
    customer(),
    [],
    { copy: null, version: 1, reuses: false },
  ],
  ["a retry of this onboarding", waiter({ retry: true, before: "ob_1" }), customer(), [], "wait"],
  [
    "a retry of another onboarding",
    waiter({ retry: true, before: "ob_0" }),
    customer(),
    [],
    { copy: OUTCOME, version: 1, reuses: true },
  ],
  [
    "no retry, where nothing could be posted: the failure is its outcome too",
    waiter(),
    customer({ state: { ...afterFailure(UNPOSTED), version: 3 } }),
    [],
    { copy: OUTCOME, version: 1, reuses: true },
  ],
  [
    "the same row, where this one is stopped for its own batch",
    waiter(),
    customer({ endIsOwn: true }),
    [],
    "wait",
  ],
])("%s", ([, given, processed, reused, expected]) => {
  expect(decideWaiter(given, processed, reused)).toEqual(expected);
});
