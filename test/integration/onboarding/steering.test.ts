import { expect, test } from "vitest";
import { listsRunning } from "../../../src/activities/calls/onboarding-resolution.js";
import type { OnboardSummary } from "../../../src/domain/onboarding/batch/batch-totals.js";
import { followWorkflowId } from "../../../src/domain/onboarding/identity.js";
import { BATCH_SIGNALS, type BatchProgress } from "../../../src/domain/onboarding/messages.js";
import { onboardWorlds } from "../../helpers/onboarding/onboard-worlds.js";

const worlds = onboardWorlds();
const POSTS = { operation: "create_onboarding" };
const playbook = (more: object = {}) => ({
  sandbox: { playbooks: [{ key: "pb_kyc", outcomes: { pass: 1 }, ...more }] },
});
const addsUp = ({ customers: { total, ...counts } }: Pick<BatchProgress, "customers">) =>
  Object.values(counts).reduce((sum, count) => sum + count, 0) === total;

test("paused, resumed and watched, the counts add up at every instant", async () => {
  const world = await worlds.open(playbook({ delayMs: [50, 400] }));
  const asked = world.sandbox.waitForRequests(20, POSTS);
  const batch = await world.begin(world.users(40), { window: 6 });
  const seen: BatchProgress[] = [];
  const watch = (fits: (progress: BatchProgress) => boolean) =>
    world.until(batch, (progress) => {
      seen.push(progress);
      return fits(progress);
    });
  await watch(({ customers }) => customers.pass >= 5);
  await asked;
  const release = world.sandbox.hold(POSTS);
  await batch.handle.signal(BATCH_SIGNALS.pause, null);
  await watch(({ paused }) => paused !== null);
  release();
  const { customers } = await watch(({ paused, customers: { running } }) => paused !== null && running === 0);
  const posted = world.sandbox.calls().by_operation.create_onboarding;
  expect(customers.queued).toBeGreaterThan(0);
  expect(posted).toBe(40 - customers.queued);
  await batch.handle.signal(BATCH_SIGNALS.resume, null);
  const summary = (await batch.handle.result()) as OnboardSummary;
  expect(summary.customers).toMatchObject({ total: 40, pass: 40 });
  expect(seen.every(addsUp)).toBe(true);
  expect(Math.max(...seen.map((one) => one.customers.running))).toBeLessThanOrEqual(6);
});

test("cancelled: rows without a request are cancelled, rows with one keep their last status and stop", async () => {
  const world = await worlds.open(playbook({ delayMs: 600_000 }));
  world.users(12);
  world.sandbox.playbooks.script({ entity: "fp_1", outcomes: [{ status: "incomplete", delayMs: 0 }] });
  world.sandbox.playbooks.script({ entity: "fp_2", outcomes: [{ status: "pass", delayMs: 0 }] });
  const rows = Array.from({ length: 12 }, (_, at) => ({ fp_id: `fp_${at + 1}` }));
  const batch = await world.begin(rows, { window: 3 });
  await world.until(
    batch,
    ({ customers: { needs_customer, pass, running } }) => needs_customer + pass === 2 && running === 3,
  );
  await world.until(batch, () => world.sandbox.onboardings.list().length === 5);
  await batch.handle.signal(BATCH_SIGNALS.cancel, null);
  const summary = (await batch.handle.result()) as OnboardSummary;
  expect(summary).toMatchObject({
    status: "cancelled",
    customers: { total: 12, pass: 1, needs_customer: 1, pending: 3, cancelled: 7, queued: 0, running: 0 },
  });
  const outcomes = await world.outcomes(batch);
  expect(outcomes.map(({ status }) => status)).toEqual([
    "needs_customer",
    "pass",
    ...Array(3).fill("pending"),
    ...Array(7).fill("cancelled"),
  ]);
  expect(world.sandbox.onboardings.list()).toHaveLength(5);
  await world.untilOpen("fp_1", (one) => one === undefined);
  // What was cancelled before it was posted runs with the same command.
  for (const { id } of world.sandbox.onboardings.list()) world.sandbox.onboardings.finish(id, "pass");
  world.sandbox.playbooks.declare({ key: "pb_kyc", outcomes: { pass: 1 } });
  const again = await world.onboard(rows);
  expect(again.summary.customers.total).toBe(12);
  expect(world.sandbox.onboardings.list()).toHaveLength(12);
});

test("cancelled, a row whose request is not answered has failed soon, and its retry posts nothing twice", async () => {
  const world = await worlds.open(playbook());
  await listsRunning(world.sealed).put(true);
  const rows = world.users(1);
  const asked = world.sandbox.waitForRequests(1, POSTS);
  const release = world.sandbox.hold(POSTS);
  const batch = await world.begin(rows);
  await asked;
  await batch.handle.signal(BATCH_SIGNALS.cancel, null);
  const progress = await world.progress(batch);
  expect(progress).toMatchObject({ cancelling: true, paused: null });
  const began = Date.now();
  const summary = (await batch.handle.result()) as OnboardSummary;
  expect(Date.now() - began).toBeLessThan(50_000);
  expect(summary).toMatchObject({ status: "cancelled", customers: { total: 1, failed: 1 } });
  expect(await world.outcomes(batch)).toMatchObject([{ status: "failed", error_class: "InterruptedError" }]);
  release();
  const again = await world.onboard(rows, { retry: true });
  expect(again.summary.customers).toMatchObject({ pass: 1 });
  expect(world.sandbox.onboardings.of("fp_1")).toHaveLength(1);
});

test("a cancelled workflow of a batch ends in the same order", async () => {
  const world = await worlds.open(playbook({ delayMs: 600_000 }));
  const batch = await world.begin(world.users(6), { window: 2 });
  await world.until(batch, () => world.sandbox.onboardings.list().length === 2);
  await batch.handle.cancel();
  const summary = (await batch.handle.result()) as OnboardSummary;
  expect(summary).toMatchObject({ status: "cancelled", customers: { pending: 2, cancelled: 4 } });
});

test("a batch continues as new over and over, and every row runs once", async () => {
  const world = await worlds.open(playbook({ delayMs: [0, 300] }));
  const batch = await world.begin(world.users(60), { window: 8, startsPerExecution: 7 });
  const summary = (await batch.handle.result()) as OnboardSummary;
  expect(summary.customers).toMatchObject({ total: 60, pass: 60 });
  expect(world.sandbox.onboardings.list()).toHaveLength(60);
  const lines = await world.rows("select line, count(*) as n from onboardings group by line having n <> 1");
  expect(lines).toEqual([]);
  const executions = await list(world, `WorkflowId = "${batch.handle.workflowId}"`);
  // An execution hands over at most a whole window more than the six that leave it going.
  expect(executions.length).toBeGreaterThanOrEqual(5);
});

test("follow that was ended from outside is started again by what its batch hands over; nothing is posted twice", async () => {
  const world = await worlds.open(playbook({ delayMs: 600_000 }));
  const batch = await world.begin(world.users(2), { timing: { reportTimeout: 1_000 } });
  const polled = () =>
    new Set(world.sandbox.requests({ operation: "get_onboarding" }).map(({ path }) => path));
  await world.until(batch, () => polled().size === 2);
  const follow = world.client.workflow.getHandle(followWorkflowId(world.scope));
  const { runId } = await follow.describe();
  await follow.terminate("by hand");
  await expect.poll(async () => (await follow.describe()).runId).not.toBe(runId);
  for (const { id } of world.sandbox.onboardings.list()) world.sandbox.onboardings.finish(id, "pass");
  const summary = (await batch.handle.result()) as OnboardSummary;
  expect(summary.customers).toMatchObject({ pass: 2 });
  expect(world.sandbox.onboardings.list()).toHaveLength(2);
  expect(await world.rows("select * from onboardings")).toHaveLength(2);
});

type World = Awaited<ReturnType<typeof worlds.open>>;

async function list(world: World, query: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { workflowId } of world.client.workflow.list({ query })) found.push(workflowId);
  return found;
}
