import { afterEach, beforeEach, expect, test } from "vitest";
import { lookUp } from "../../../src/activities/onboarding/look-up.js";
import { createOnboarding } from "../../../src/api/operations/onboarding-creation.js";
import type { CustomerCourse } from "../../../src/domain/onboarding/customer-course.js";
import type { CustomerEvent } from "../../../src/domain/onboarding/messages.js";
import { event, POSTED } from "../../domain/onboarding/courses.js";
import { type ActivityBench, openActivityBench } from "../../helpers/activity-bench.js";
import { customer, freezeCustomers } from "../../helpers/onboarding-batch.js";

let bench: ActivityBench;
let batchId: string;
let onboardingId: string;
beforeEach(async () => {
  bench = await openActivityBench({ playbooks: [{ key: "pb_1", outcomes: { pass: 1 }, versions: 3 }] });
  bench.sandbox.addUser({ fp_id: "fp_2" });
  const params = { body: { key: "pb_1:v3", fp_id: "fp_2" } };
  onboardingId = (await bench.deps.api.read(createOnboarding, params)).id;
  batchId = await freezeCustomers(bench.deps.batches, [customer(2)]);
});
afterEach(() => bench.close());

/** A look that is answered with this. */
async function look(answer: object, known: CustomerCourse, events: readonly CustomerEvent[] = []) {
  const course = { ...known, onboardingId };
  bench.sandbox.addFault({
    kind: "wrong_body",
    operation: "get_onboarding",
    body: JSON.stringify({ id: onboardingId, requires_manual_review: false, ...answer }),
    times: 1,
  });
  const stand = {
    ...{ batchId, runId: "run", row: 0, line: 2, attempt: 1, rowKey: "key", latch: "run" },
    ...{ retry: false, before: null, startedAt: "2026-11-21T02:15:00.000Z", sink: true },
    ...{ course, written: course },
  };
  return bench.run(() => lookUp(bench.deps, { ...stand, events, sessions: [] }));
}

test("a look that lags behind does not undo the webhook that led to it", async () => {
  const told = event("service.onboarding.incomplete", { status: "incomplete" });
  const step = await look({ status: "pending" }, POSTED, [told]);
  expect(step.course).toMatchObject({ status: "incomplete", stage: "people" });
  expect(step.outcome).toMatchObject({ version: 1 });
});

test("a look that knows more than the webhook counts", async () => {
  const told = event("service.onboarding.incomplete", { status: "incomplete" });
  const step = await look({ status: "pass" }, POSTED, [told]);
  expect(step.course).toMatchObject({ status: "pass", stage: "settled" });
});
