import { MockActivityEnvironment } from "@temporalio/testing";
import { afterAll, afterEach, beforeEach, expect, test } from "vitest";
import {
  type InspectCustomersResult,
  inspectCustomers,
} from "../../../src/activities/onboarding/batch/inspect-customers.js";
import type { OutstandingRow } from "../../../src/domain/onboarding/batch/batch-state.js";
import { findOutcome, putOutcome } from "../../../src/lake/onboarding/frozen-batch.js";
import { customer, freezeCustomers, outcomeOf } from "../../helpers/onboarding/onboarding-batch.js";
import { type ActivityBench, openActivityBench, SILENT } from "../../helpers/temporal/activity-bench.js";
import { sharedTemporal } from "../../helpers/temporal/shared-temporal.js";

const temporal = sharedTemporal();
let bench: ActivityBench;
let batchId: string;
beforeEach(async () => {
  bench = await openActivityBench();
  batchId = await freezeCustomers(bench.deps.batches, [customer(2)]);
});
afterEach(() => bench.close());
afterAll(() => temporal.stop());

const OPEN = { onboardingId: "ob_2", status: "needs_customer", requiresManualReview: false, version: 1 };
const stage = (version: number, status: string) =>
  putOutcome(bench.deps.sealed, batchId, outcomeOf(customer(2), 0, { version, status }));
const staged = (version: number) => findOutcome(bench.deps.sealed, batchId, { line: 2, attempt: 1, version });

/** What is found of a row whose workflow is gone. */
async function ended(open: OutstandingRow["open"]) {
  const { client } = await temporal.client();
  const row: OutstandingRow = {
    row: 0,
    line: 2,
    attempt: 1,
    identity: "gone",
    rowKey: "key",
    prepare: false,
    open,
    retry: false,
    before: null,
    since: Date.now(),
  };
  const of = { batchId, runId: "run", sink: false, scope: "scope", playbookKey: "pb_1" };
  const environment = new MockActivityEnvironment({}, { logger: SILENT, client });
  const work = () => inspectCustomers(bench.deps, { ...of, rows: [row] });
  const found = (await environment.run(work)) as InspectCustomersResult;
  expect(found.running).toEqual([]);
  return found.ended;
}

test("a row that told nothing has failed", async () => {
  expect(await ended(null)).toMatchObject([{ status: "failed", record: { version: 1 } }]);
  expect(await staged(1)).toMatchObject({ status: "failed", error_class: "InterruptedError" });
});

test("a row is as the outcome says that it staged and did not tell", async () => {
  await stage(1, "pass");
  expect(await ended(null)).toMatchObject([{ status: "pass", record: { version: 1 } }]);
});

test("a row that is followed again keeps its latest outcome", async () => {
  await stage(1, "needs_customer");
  expect(await ended(OPEN)).toMatchObject([{ status: "needs_customer", record: null }]);
  expect(await staged(1)).toMatchObject({ status: "needs_customer", onboarding_id: "ob_2" });
  expect(await staged(2)).toBeUndefined();
});

test("a row that was taken up again is as what came since says", async () => {
  await stage(1, "needs_customer");
  await stage(2, "pass");
  expect(await ended(OPEN)).toMatchObject([{ status: "pass", record: { version: 2 } }]);
});
