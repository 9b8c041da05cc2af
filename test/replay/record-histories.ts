import { expect, test } from "vitest";
import { addLink } from "../helpers/sync/scripted-links.js";
import { openSyncWorld, type SyncWorld, type WorldOptions } from "../helpers/sync/sync-harness.js";
import { syncWorlds } from "../helpers/sync/sync-worlds.js";
import { recordHistory } from "../helpers/temporal/replay-histories.js";
import { startSmallHistories } from "../helpers/temporal/small-histories.js";

const worlds = syncWorlds();

const inWorld = async (options: WorldOptions, work: (world: SyncWorld) => Promise<void>) =>
  work(await worlds.open(options));

test("a plain run of two users", async () => {
  await inWorld(
    { sandbox: { population: { kind: "synthetic", users: 2, linksPerUser: 2, rows: 20 } } },
    async (world) => {
      const { result, workflowId } = await world.sync();
      expect(result.status).toBe("completed");
      await recordHistory(world.client, "plain-run", workflowId);
      const quiet = await world.sync();
      expect(quiet.result).toMatchObject({ status: "completed", links: { unchanged: 4 } });
      await recordHistory(world.client, "quiet-run", quiet.workflowId);
    },
  );
});

test("a run with restarts, waits, a failing user, a refused link and a second try", async () => {
  await inWorld({}, async (world) => {
    for (const link of ["restart", "wait", "refused", "late"]) addLink(world, link, 25);
    world.sandbox.addUser({ fp_id: "fp_2" });
    world.sandbox.addFault({ kind: "status", status: 404, user: "fp_2" });
    world.sandbox.addFault({ kind: "status", status: 502, operation: "list_bank_links", times: 1 });
    world.sandbox.addFault({ kind: "log_changed", link: "restart", page: 1, times: 1 });
    world.sandbox.addFault({ kind: "status", status: 429, retryAfter: 1, link: "wait", page: 1, times: 1 });
    world.sandbox.addFault({ kind: "status", status: 422, link: "refused" });
    world.sandbox.addFault({ kind: "not_ready", link: "late", times: 2 });
    const { result, workflowId } = await world.sync({ pageSize: 10 });
    expect(result).toMatchObject({
      links: { synced: 2, failed: 1, not_ready: 1 },
      users: { failed: 1 },
      restarts: 1,
    });
    await recordHistory(world.client, "troubled-run", workflowId);
  });
});

test("a run whose links need several slices and loads", async () => {
  await inWorld(
    { sandbox: { population: { kind: "synthetic", users: 4, linksPerUser: 10, rows: 300 } } },
    async (world) => {
      world.sandbox.setLatency(100);
      const { result, workflowId } = await world.sync({ pageSize: 10 });
      expect(result.status).toBe("completed");
      await recordHistory(world.client, "long-run", workflowId);
    },
  );
});

test("a run that continues as new", async () => {
  const server = await startSmallHistories();
  try {
    const world = await openSyncWorld(server);
    try {
      addLink(world, "a", 30);
      addLink(world, "b", 30);
      world.sandbox.addFault({ kind: "status", status: 503, link: "a", page: 1, times: 4 });
      const { result, workflowId } = await world.sync({ pageSize: 10 });
      expect(result).toMatchObject({ status: "completed", rows: { created: 60 } });
      const before = await recordHistory(world.client, "grown-run-2", workflowId);
      if (before === null) throw new Error("the run did not continue as new");
      await recordHistory(world.client, "grown-run-1", workflowId, before);
    } finally {
      await world.close();
    }
  } finally {
    await server.stop();
  }
});
