import { MockActivityEnvironment } from "@temporalio/testing";
import { beforeEach, expect, test } from "vitest";
import { prepareCustomer } from "../../../../src/activities/onboarding/customer/prepare-customer.js";
import { keptOutcome } from "../../../../src/lake/onboarding/frozen-batch.js";
import { eachTest } from "../../../helpers/each-test.js";
import { openRow } from "../../../helpers/onboarding/customer-states.js";
import { customer, freezeCustomers } from "../../../helpers/onboarding/onboarding-batch.js";
import { workOn } from "../../../helpers/onboarding/row-work.js";
import { openActivityBench, SILENT } from "../../../helpers/temporal/activity-bench.js";

const MINUTE_MS = 60_000;

const bench = eachTest(openActivityBench);
let batchId: string;
beforeEach(async () => {
  bench.sandbox.addUser({ fp_id: "fp_2" });
  batchId = await freezeCustomers(bench.deps.batches, [customer(2, { vault: { "custom.n": "x" } })]);
  bench.sandbox.addFault({ kind: "status", status: 503, retryAfter: 2, operation: "create_client_token" });
});

/** The n-th attempt at a row's vault while the service is down, so long after the first one was due. */
function attempt(n: number, sinceMs: number) {
  const tries = { times: n - 1, since: Date.now() - sinceMs, notBefore: 0 };
  const environment = new MockActivityEnvironment({}, { logger: SILENT });
  const one = openRow({ batchId }, { tries });
  return environment.run((): ReturnType<typeof workOn> => workOn(bench.deps, one, prepareCustomer));
}

test.for([
  ["many attempts in a minute, as soon as the service asked for", 30, MINUTE_MS],
  ["an hour in which the machine was off", 2, 90 * MINUTE_MS],
] as const)("a row is not given up after %s", async ([, n, sinceMs]) => {
  await expect(attempt(n, sinceMs)).rejects.toMatchObject({ name: "TransientError" });
});

test("a row whose service could not be reached for an hour has failed", async () => {
  const step = await attempt(21, 61 * MINUTE_MS);
  expect(step.state.end).toBe("failed");
  const outcome = await keptOutcome(bench.deps.sealed, batchId, {
    line: 2,
    attempt: 1,
    version: 1,
  }).require();
  expect(outcome).toMatchObject({ status: "failed", error_class: "TransientError" });
});

test.each([400, 409, 422])(
  "a business whose external id is taken, said by %d, is the one that has it",
  async (status) => {
    bench.sandbox.addFault({ kind: "status", status, operation: "create_business" });
    const row = customer(2, { kind: "business", fpId: null, externalId: "acme-2" });
    const id = await freezeCustomers(bench.deps.batches, [row]);
    const environment = new MockActivityEnvironment({}, { logger: SILENT });
    const one = openRow({ batchId: id });
    const step = await environment.run(
      (): ReturnType<typeof workOn> => workOn(bench.deps, one, prepareCustomer),
    );
    expect(step.state.end).toBeNull();
  },
);
