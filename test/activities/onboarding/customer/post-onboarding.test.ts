import { beforeEach, expect, test } from "vitest";
import { postOnboarding } from "../../../../src/activities/onboarding/customer/post-onboarding.js";
import { keptOutcome } from "../../../../src/lake/onboarding/frozen-batch.js";
import { eachTest } from "../../../helpers/each-test.js";
import { openRow } from "../../../helpers/onboarding/customer-states.js";
import { customer, freezeCustomers } from "../../../helpers/onboarding/onboarding-batch.js";
import { workOn } from "../../../helpers/onboarding/row-work.js";
import { openActivityBench } from "../../../helpers/temporal/activity-bench.js";

const bench = eachTest(openActivityBench);
let batchId: string;
beforeEach(async () => {
  bench.sandbox.playbooks.declare({ key: "pb_1", versions: 3 });
  for (const line of [2, 3]) bench.sandbox.addUser({ fp_id: `fp_${line}`, external_id: `c-${line}` });
  batchId = await freezeCustomers(
    bench.deps.batches,
    [2, 3].map((line) =>
      // The name is of an earlier request: it is not in this one.
      customer(line, { fpId: null, externalId: `c-${line}`, vault: { "id.first_name": "Ann Annason" } }),
    ),
  );
});

function post(row: number, syncTimeoutSecs: number | null = null) {
  const one = openRow({ batchId, row, line: row + 2, rowKey: `key-${row}`, syncTimeoutSecs });
  return bench.run(() => workOn(bench.deps, one, postOnboarding));
}

/** Posts a row as often as Temporal would; the result of its last attempt. */
async function postToTheEnd(row: number) {
  for (;;) {
    try {
      return await post(row);
    } catch (error) {
      expect(error).toMatchObject({ type: "TransientError", nonRetryable: false });
    }
  }
}

test("rows that a proxy answers for the service end with what to do, and count as one trouble", async () => {
  bench.sandbox.addFault({ kind: "wrong_body", operation: "create_onboarding", contentType: "text/html" });
  const steps = [await postToTheEnd(0), await postToTheEnd(1)];
  expect(bench.sandbox.calls().by_operation.create_onboarding).toBe(10);
  const outcome = await keptOutcome(bench.deps.sealed, batchId, {
    line: 2,
    attempt: 1,
    version: 1,
  }).require();
  expect(outcome).toMatchObject({
    status: "failed",
    error_class: "LostAnswerError",
    next_action: "check in the dashboard whether it was carried out, then runs retry",
  });
  // Equal for every row, whenever it was sent: the circuit breaks on them.
  expect(steps[0]?.messageHash).toMatch(/^[0-9a-f]{16}$/);
  expect(steps[0]?.messageHash).toBe(steps[1]?.messageHash);
});

test("what the service says of a refusal is in the outcome, masked, and decides nothing", async () => {
  const said = ["c-2 of Ann Annason: no such thing", "no such playbook"];
  const steps: Awaited<ReturnType<typeof post>>[] = [];
  for (const [row, message] of said.entries()) {
    const body = JSON.stringify({ error: { message } });
    bench.sandbox.addFault({ kind: "status", status: 400, body, operation: "create_onboarding", id: "said" });
    steps.push(await post(row));
  }
  expect(steps.map(({ refused }) => refused)).toEqual([
    { status: 400, message: "[value] of [value]: no such thing" },
    { status: 400, message: "no such playbook" },
  ]);
  const outcome = await keptOutcome(bench.deps.sealed, batchId, {
    line: 2,
    attempt: 1,
    version: 1,
  }).require();
  expect(outcome).toMatchObject({
    status: "failed",
    error_class: "RejectedError",
    error_message:
      "create_onboarding: the service refused the request (status 400); it said: [value] of [value]: no such thing. " +
      "Sent again it will be refused again",
    next_action: expect.stringContaining("the playbook or the file in a new batch"),
  });
  // Whatever it says, it is one trouble: the circuit breaks on it.
  expect(steps[0]?.messageHash).toBe(steps[1]?.messageHash);
});

test.for([
  ["asynchronous", null, { status: "pending", phase: "machine" }],
  ["synchronous", 5, { status: "none", phase: "final" }],
] as const)("the answer `none` to a request that is %s", async ([, secs, expected]) => {
  const body = JSON.stringify({ id: "ob_1", status: "none", requires_manual_review: false });
  bench.sandbox.addFault({ kind: "wrong_body", operation: "create_onboarding", body });
  const { state, outcome } = await post(0, secs);
  expect(state).toMatchObject(expected);
  expect(outcome?.status).toBe(secs === null ? undefined : "none");
});
