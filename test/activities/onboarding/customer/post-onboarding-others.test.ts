import { beforeEach, expect, test } from "vitest";
import { postOnboarding } from "../../../../src/activities/onboarding/customer/post-onboarding.js";
import { createApiClient } from "../../../../src/api/http/client.js";
import { keptOutcome } from "../../../../src/lake/onboarding/frozen-batch.js";
import { eachTest } from "../../../helpers/each-test.js";
import { openRow } from "../../../helpers/onboarding/customer-states.js";
import { customer, freezeCustomers } from "../../../helpers/onboarding/onboarding-batch.js";
import { workOn } from "../../../helpers/onboarding/row-work.js";
import { startLyingProxy } from "../../../helpers/stand-in/lying-proxy.js";
import { openActivityBench } from "../../../helpers/temporal/activity-bench.js";

const LINES = [2, 3];
const idOf = (line: number) => `user_of_line_000${line}`;

const bench = eachTest(openActivityBench);
const proxy = eachTest(() => startLyingProxy(bench.sandbox.url));
const api = eachTest(() =>
  createApiClient({
    ...{ baseUrl: proxy.url, apiKey: bench.sandbox.apiKey, concurrency: 4, userAgent: "nightledger/test" },
    ...{ headersTimeoutMs: 60_000, bodyTimeoutMs: 60_000, maxBodyBytes: 1 << 24 },
  }),
);
let batchId: string;
beforeEach(async () => {
  bench.sandbox.playbooks.declare({ key: "pb_1", versions: 3 });
  for (const line of LINES) bench.sandbox.addUser({ fp_id: idOf(line) });
  batchId = await freezeCustomers(
    bench.deps.batches,
    LINES.map((line) => customer(line, { fpId: idOf(line) })),
  );
});

const post = (row: number, attempt = 1) =>
  bench.run(() =>
    workOn(
      { ...bench.deps, api },
      openRow({
        ...{ batchId, runId: `run-${attempt}`, row, line: row + 2, attempt },
        ...{ rowKey: `key-${row}`, retry: attempt > 1 },
      }),
      postOnboarding,
    ),
  );
const outcomeOf = (row: number, attempt = 1) =>
  keptOutcome(bench.deps.sealed, batchId, { line: row + 2, attempt, version: 1 }).require();
const trueIds = () => LINES.map((line) => bench.sandbox.onboardings.of(idOf(line)).map(({ id }) => id));
const OTHERS = {
  status: "failed",
  onboarding_id: null,
  error_class: "AnotherSubjectError",
  error_message: expect.stringMatching(
    /: the customer of onboarding •••.{4} is •••0002, asked for was •••0003\. It was not used/,
  ),
  next_action: "check in the dashboard whether it was carried out, then runs retry",
};

test("an onboarding that another customer has is not taken from an answer, and a retry finds the own one", async () => {
  const { state } = await post(0);
  proxy.lie = ({ method }, truth) => (method === "POST" ? { ...truth, id: state.onboardingId } : undefined);
  const lied = await post(1);
  expect(lied.state.end).toBe("failed");
  expect(await outcomeOf(1)).toMatchObject(OTHERS);
  proxy.lie = undefined;
  const { state: repaired } = await post(1, 2);
  const [[first] = [], own = []] = trueIds();
  expect(first).toBe(state.onboardingId);
  // The request was carried out: it is not sent again.
  expect(own).toEqual([repaired.onboardingId]);
});

test("another customer's list does not resolve a lost answer, and a retry finds the own one", async () => {
  await post(0);
  bench.sandbox.addFault({ kind: "reset", afterEffect: true, operation: "create_onboarding", times: 1 });
  await expect(post(1)).rejects.toMatchObject({ name: "TransientError" });
  const [taken = {}] = bench.sandbox.onboardings.of(idOf(2));
  proxy.lie = ({ path }, truth) =>
    path.endsWith("/onboardings")
      ? { ...truth, data: truth.data.map((item: object) => ({ ...item, id: (taken as { id: string }).id })) }
      : undefined;
  expect((await post(1)).state.end).toBe("failed");
  expect(await outcomeOf(1)).toMatchObject(OTHERS);
  proxy.lie = undefined;
  const { state } = await post(1, 2);
  expect(trueIds()[1]).toEqual([state.onboardingId]);
});
