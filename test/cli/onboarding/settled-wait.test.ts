import { expect, test } from "vitest";
import { recordOutcomes } from "../../../src/activities/onboarding/record-outcomes.js";
import { waitUntilSettled } from "../../../src/cli/onboarding/settled-wait.js";
import type { JobSession } from "../../../src/cli/session/job-session.js";
import type { OnboardSummary } from "../../../src/domain/onboarding/batch/batch-totals.js";
import type { Outcome } from "../../../src/domain/onboarding/outcome.js";
import { eachTest } from "../../helpers/each-test.js";
import { customer, freezeCustomers, outcomeOf } from "../../helpers/onboarding/onboarding-batch.js";
import { openActivityBench } from "../../helpers/temporal/activity-bench.js";

const bench = eachTest(openActivityBench);

const NEVER = Number.POSITIVE_INFINITY;

async function waited(change: Partial<Outcome>, notAfter = NEVER) {
  const { deps } = bench;
  const batchId = await freezeCustomers(deps.batches, [customer(2)]);
  const record = {
    run: { batchId, runId: "run", plainOutput: false },
    outcome: outcomeOf(customer(2), change),
  };
  await bench.run(() => recordOutcomes(deps, [record]));
  const session = {
    preflight: { store: deps.lake.store },
    sealed: deps.sealed,
    temporal: { lost: new Promise<never>(() => {}) },
    signal: new AbortController().signal,
  } as unknown as JobSession;
  const summary = { batch_id: batchId, status: "completed", customers: { total: 1 } } as OnboardSummary;
  const end = await waitUntilSettled(session, summary, notAfter);
  return end.kind === "completed" ? end.result : undefined;
}

test("a decision of which a webhook may still say that a reviewer decides is waited for, as long as it may", async () => {
  const until = Date.now() + 2_500;
  const expires_at = new Date(until).toISOString();
  expect(await waited({ requires_manual_review: null, expires_at })).toMatchObject({ manual_review: 0 });
  expect(Date.now()).toBeGreaterThanOrEqual(until);
});

test.for([
  ["that is decided", {}],
  [
    "whose review nobody has said in time",
    { requires_manual_review: null, expires_at: "2026-11-21T02:21:00Z" },
  ],
] as const)("a row %s is not waited for", async ([, change]) => {
  expect(await waited(change)).toMatchObject({ customers: { pass: 1 }, manual_review: 0 });
});

test("a review is waited for until the end of the wait, and counted", async () => {
  expect(await waited({ requires_manual_review: true }, 0)).toMatchObject({ manual_review: 1 });
});
