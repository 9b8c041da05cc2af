import { utimes } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { CallIntent } from "../../../../src/activities/calls/call-record.js";
import { postOnboarding } from "../../../../src/activities/onboarding/customer/post-onboarding.js";
import type { CustomerStep } from "../../../../src/domain/onboarding/customer/open-customer.js";
import { openRow } from "../../../helpers/onboarding/customer-states.js";
import { customer, freezeCustomers } from "../../../helpers/onboarding/onboarding-batch.js";
import { type ActivityBench, openActivityBench } from "../../../helpers/temporal/activity-bench.js";

const POSTS = { operation: "create_onboarding" };
const UNDECIDED = { type: "TransientError", message: expect.stringContaining("Nothing was sent") };

let bench: ActivityBench;
let unnamed: string;
let named: string;
beforeEach(async () => {
  bench = await openActivityBench();
  const { playbooks } = bench.sandbox;
  playbooks.declare({ key: "pb_1", versions: 3 });
  bench.sandbox.addUser({ fp_id: "fp_2", external_id: "c-2" });
  const { batches } = bench.deps;
  unnamed = await freezeCustomers(batches, [customer(2, { fpId: null, externalId: "c-2" }), customer(3)]);
  named = await freezeCustomers(batches, [customer(2)]);
});
afterEach(() => bench.close());

function post(batchId: string, rowKey: string): Promise<CustomerStep> {
  return bench.run(() => postOnboarding(bench.deps, openRow({ batchId, rowKey })));
}

const postUnnamed = () => post(unnamed, "unnamed");
const postNamed = () => post(named, "named");

/** Posts the row by its external id; its answer can't be used, and the row has failed so long ago. */
async function lose(ageMs: number): Promise<void> {
  bench.sandbox.addFault({ ...POSTS, kind: "wrong_body", body: "[]", times: 1 });
  expect((await postUnnamed()).state.failed).toBe(true);
  const { sealed, lake } = bench.deps;
  for (const { key, modifiedAt } of await sealed.list("_staging/onboarding-calls/unnamed/first/")) {
    if (!key.includes("/intent-")) continue;
    const intent = await sealed.require<CallIntent>(key);
    await sealed.put(key, { ...intent, at: intent.at - ageMs });
    const time = new Date(modifiedAt.getTime() - ageMs);
    await utimes(join(lake.store.address, key), time, time);
  }
  bench.sandbox.clearRequests();
}

const made = () => bench.sandbox.onboardings.of("fp_2").map(({ id }) => id);
const calls = () => bench.sandbox.calls().by_operation;

test("where nothing was lost, nothing is asked but the onboarding itself", async () => {
  await postUnnamed();
  bench.sandbox.clearRequests();
  await postNamed();
  expect(calls()).toEqual({ create_onboarding: 1 });
  expect(made()).toHaveLength(2);
});

test("a request that was refused is none that was lost", async () => {
  bench.sandbox.addFault({ ...POSTS, kind: "status", status: 422, times: 1 });
  await postUnnamed();
  await postNamed();
  expect(calls()).toEqual({ create_onboarding: 2 });
});

test("what a lost request made is the row's, also when the row comes again", async () => {
  await lose(10_000);
  for (const _ of [1, 2]) expect((await postNamed()).state.onboardingId).toBe(made()[0]);
  expect(calls()).toEqual({ list_user_onboardings: 1, get_onboarding: 1 });
  expect(made()).toHaveLength(1);
});

test("what a lost request can't have made, because it is younger, is another onboarding", async () => {
  await lose(3_600_000);
  const step = await postNamed();
  expect(made()).toEqual([expect.any(String), step.state.onboardingId]);
});

test("while a lost request may still take effect, nothing is asked", async () => {
  await lose(5_000);
  await expect(postNamed()).rejects.toMatchObject(UNDECIDED);
  expect(calls()).toEqual({});
});

test("what is answered while the row waits is its own, although the other row has it too", async () => {
  await lose(0);
  await expect(postNamed()).rejects.toMatchObject(UNDECIDED);
  const settled = await postUnnamed();
  expect((await postNamed()).state.onboardingId).toBe(settled.state.onboardingId);
  expect(made()).toEqual([settled.state.onboardingId]);
});
