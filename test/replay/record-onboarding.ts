import { join } from "node:path";
import { expect, test } from "vitest";
import { followWorkflowId } from "../../src/domain/onboarding/identity.js";
import { BATCH_SIGNALS } from "../../src/domain/onboarding/messages.js";
import { type OnboardWorld, openOnboardWorld } from "../helpers/onboarding/onboard-harness.js";
import { onboardWorlds } from "../helpers/onboarding/onboard-worlds.js";
import { recordHistory } from "../helpers/temporal/replay-histories.js";
import { startSmallHistories } from "../helpers/temporal/small-histories.js";

const worlds = onboardWorlds();

const optionsOf = (playbook: object) => ({ sandbox: { playbooks: [{ key: "pb_kyc", ...playbook }] } });
const inWorld = async (playbook: object, work: (world: OnboardWorld) => Promise<void>) =>
  work(await worlds.open(optionsOf(playbook)));

/** Waits until no row of a world is open, and records what waited for them. */
async function recordFollow(world: OnboardWorld, name: string): Promise<void> {
  const workflowId = followWorkflowId(world.scope);
  await world.client.workflow.getHandle(workflowId).result();
  await recordHistory(world.client, name, workflowId);
}

test("a batch of two, with vaults to write, looked up", async () => {
  await inWorld({ outcomes: { pass: 1 }, delayMs: 400 }, async (world) => {
    const rows = world.users(2, () => ({ "vault.id.first_name": "Ada" }));
    const batch = await world.onboard(rows);
    expect(batch.summary.customers.pass).toBe(2);
    await recordHistory(world.client, "onboard-batch", batch.handle.workflowId);
    await recordFollow(world, "follow");
  });
});

test("a customer with a link, webhooks, a review and another batch that watches", async () => {
  await inWorld({ outcomes: { incomplete: 1 } }, async (world) => {
    const linksFile = join(world.lake, "..", "links");
    const rows = world.users(2);
    await world.onboard(rows.slice(0, 1), { linksFile });
    await world.onboard(rows);
    const id = world.sandbox.onboardings.of("fp_1")[0]?.id ?? "";
    await world.tell("fp_1", { messageId: "stale", kind: "service.onboarding.incomplete" });
    world.sandbox.onboardings.finish(id, "pass");
    await world.tell("fp_1", { messageId: "done", status: "pass", review: false });
    world.sandbox.onboardings.finish(world.sandbox.onboardings.of("fp_2")[0]?.id ?? "", "pass");
    await recordFollow(world, "follow-waiting");
  });
});

test("a customer whose output comes late", async () => {
  await inWorld({ outcomes: { pass: 1 }, output: { risk: "low" }, outputDelayMs: 400 }, async (world) => {
    await world.onboard(world.users(1), { mode: "sync", timing: { outputRetry: 600 } });
    await recordFollow(world, "follow-output");
  });
});

test("a batch that is paused, resumed and cancelled", async () => {
  await inWorld({ outcomes: { pass: 1 }, delayMs: 600_000 }, async (world) => {
    const batch = await world.begin(world.users(4), { window: 2 });
    await world.until(batch, () => world.sandbox.onboardings.list().length === 2);
    await batch.handle.signal(BATCH_SIGNALS.pause, null);
    await batch.handle.signal(BATCH_SIGNALS.resume, null);
    await batch.handle.signal(BATCH_SIGNALS.cancel, null);
    await batch.handle.result();
    await recordHistory(world.client, "onboard-batch-cancelled", batch.handle.workflowId);
    await recordFollow(world, "follow-stopped");
  });
});

test("a batch that continues as new", async () => {
  await inWorld({ outcomes: { pass: 1 } }, async (world) => {
    const batch = await world.onboard(world.users(6), { mode: "sync", window: 2, startsPerExecution: 4 });
    const { workflowId } = batch.handle;
    const before = await recordHistory(world.client, "onboard-batch-grown-2", workflowId);
    if (before === null) throw new Error("the batch did not continue as new");
    await recordHistory(world.client, "onboard-batch-grown-1", workflowId, before);
  });
});

test("open rows whose workflow continues as new", async () => {
  const server = await startSmallHistories();
  try {
    const world = await openOnboardWorld(server, optionsOf({ outcomes: { incomplete: 1 } }));
    try {
      const timing = { pollFirst: 600_000, pollPeopleMost: 600_000 };
      await world.onboard(world.users(1), { mode: "sync", timing });
      const follow = followWorkflowId(world.scope);
      const handle = world.client.workflow.getHandle(follow);
      const { runId } = await handle.describe();
      const hint = { kind: "service.vault.updated", onboardingId: null } as const;
      for (let n = 0; (await handle.describe()).runId === runId; n += 1) {
        await world.tell("fp_1", { ...hint, messageId: `msg_${n}` });
      }
      world.sandbox.onboardings.finish(world.sandbox.onboardings.list()[0]?.id ?? "", "pass");
      await world.tell("fp_1", { messageId: "done", status: "pass", review: false });
      await handle.result();
      const before = await recordHistory(world.client, "follow-grown-2", follow);
      if (before === null) throw new Error("follow did not continue as new");
      await recordHistory(world.client, "follow-grown-1", follow, before);
    } finally {
      await world.close();
    }
  } finally {
    await server.stop();
  }
});
