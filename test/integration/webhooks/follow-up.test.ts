import { expect, test } from "vitest";
import { runs } from "../../../src/lake/tables/runs.js";
import { createdRaw } from "../../helpers/sync/sync-harness.js";
import type { WebhookWorld } from "../../helpers/webhooks/webhook-world.js";
import { webhookWorlds } from "../../helpers/webhooks/webhook-worlds.js";

const worlds = webhookWorlds();
const KIND = "service.user.bank_link_updated";

async function openLinked() {
  const world = await worlds.open();
  for (const n of [1, 2]) {
    world.sandbox.addLink({ id: `link_${n}`, fp_id: `fp_${n}` });
    world.sandbox.addAccount(`link_${n}`, { id: "acc_1" });
    world.sandbox.append(`link_${n}`, [createdRaw("first")]);
  }
  return world;
}

const ids = (world: WebhookWorld) =>
  world.rows("select link_id, transaction_id from transactions order by link_id, transaction_id");
const runsOf = async (world: WebhookWorld) => {
  const log = await world.store.list(`${runs.name}/_delta_log/`);
  return log.length === 0 ? [] : world.rows("select * from runs order by started_at");
};

/** Waits until so many runs have ended and no follow-up is in progress. */
async function untilRuns(world: WebhookWorld, count: number): Promise<Awaited<ReturnType<typeof runsOf>>> {
  await expect.poll(async () => (await runsOf(world)).length, { interval: 200 }).toBe(count);
  await world.client.workflow.getHandle(`followUpSync/${world.scope}`).result();
  return runsOf(world);
}

test("a changed bank link is read again by itself: that link, in one run, however many webhooks say so", async () => {
  const world = await openLinked();
  await world.sync();
  world.sandbox.append("link_1", [createdRaw("second")]);
  world.sandbox.append("link_2", [createdRaw("unheard")]);
  for (let n = 0; n < 10; n += 1) {
    world.sandbox.webhooks.emit({ event_kind: KIND, fp_id: "fp_1", bank_link_id: "link_1" });
  }
  const [, followed] = await untilRuns(world, 2);
  expect(followed).toMatchObject({ users: 1, links: 1, status: "completed" });
  expect(await ids(world)).toEqual([
    { link_id: "link_1", transaction_id: "first" },
    { link_id: "link_1", transaction_id: "second" },
    { link_id: "link_2", transaction_id: "first" },
  ]);
  expect(await world.tabled(10)).toHaveLength(10);
});

test("webhooks during a run over the same user: one follow-up run after it, not lost, not ten", async () => {
  const world = await openLinked();
  // The run has read link 1 and waits for link 2.
  const release = world.sandbox.hold({ operation: "sync_transactions", link: "link_2" });
  const running = await world.start();
  await world.sandbox.waitForRequests(2, { operation: "sync_transactions" });
  world.sandbox.append("link_1", [createdRaw("during")]);
  for (let n = 0; n < 10; n += 1) {
    world.sandbox.webhooks.emit({ event_kind: KIND, fp_id: "fp_1", bank_link_id: "link_1" });
  }
  await world.tabled(10);
  expect((await running.handle.describe()).status.name).toBe("RUNNING");
  release();
  await running.handle.result();
  const [first, second] = await untilRuns(world, 2);
  expect(first?.run_id).toBe(running.runId);
  expect(second).toMatchObject({ users: 1, links: 1, status: "completed" });
  expect(Date.parse(String(second?.started_at))).toBeGreaterThan(Date.parse(String(first?.finished_at)));
  expect(await ids(world)).toContainEqual({ link_id: "link_1", transaction_id: "during" });
  const synced = await world.rows("select run_id, reason from link_syncs where link_id = 'link_1'");
  expect(synced.filter(({ reason }) => reason !== null)).toEqual([]);
});

test("a webhook during its own follow-up run asks for one more after it", async () => {
  const world = await openLinked();
  const release = world.sandbox.hold({ operation: "list_bank_links" });
  world.sandbox.webhooks.emit({ event_kind: KIND, fp_id: "fp_1", bank_link_id: "link_1" });
  await world.sandbox.waitForRequests(1, { operation: "list_bank_links" });
  for (let n = 0; n < 5; n += 1) {
    world.sandbox.webhooks.emit({ event_kind: KIND, fp_id: "fp_1", bank_link_id: "link_1" });
  }
  await world.tabled(6);
  expect(await runsOf(world)).toEqual([]);
  release();
  expect(await untilRuns(world, 2)).toHaveLength(2);
});

test("a run that follows up and is cancelled ends nothing else: what is asked meanwhile is followed up", async () => {
  const world = await openLinked();
  const release = world.sandbox.hold({ operation: "sync_transactions", link: "link_1" });
  world.sandbox.webhooks.emit({ event_kind: KIND, fp_id: "fp_1", bank_link_id: "link_1" });
  await world.sandbox.waitForRequests(1, { operation: "sync_transactions" });
  world.sandbox.webhooks.emit({ event_kind: KIND, fp_id: "fp_2", bank_link_id: "link_2" });
  await world.tabled(2);
  const cancelled: string[] = [];
  const query = 'WorkflowType = "sync" AND ExecutionStatus = "Running"';
  for await (const { workflowId } of world.client.workflow.list({ query })) {
    if (workflowId.startsWith(`sync/${world.scope}/`)) cancelled.push(workflowId);
  }
  expect(cancelled).toHaveLength(1);
  for (const id of cancelled) await world.client.workflow.getHandle(id).cancel();
  await world.client.workflow.getHandle(`followUpSync/${world.scope}`).result();
  release();
  expect(await ids(world)).toContainEqual({ link_id: "link_2", transaction_id: "first" });
});

test("a follow-up that does not open keeps no other waiting", async () => {
  const world = await openLinked();
  await world.store.put("_staging/follow-ups/00000000000000000000000000000000", "not sealed");
  world.sandbox.webhooks.emit({ event_kind: KIND, fp_id: "fp_1", bank_link_id: "link_1" });
  const [followed] = await untilRuns(world, 1);
  expect(followed).toMatchObject({ users: 1, links: 1, status: "completed" });
  expect(await world.log()).toContain("a follow-up can't be read");
});
