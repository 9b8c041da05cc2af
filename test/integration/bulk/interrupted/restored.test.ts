import { rename } from "node:fs/promises";
import { afterEach, expect, test } from "vitest";
import type { BulkProgress } from "../../../../src/domain/bulk/bulk-totals.js";
import { TRY_NOW } from "../../../../src/domain/waiting.js";
import { importJob } from "../../../../src/jobs/import.js";
import type { AnyJob } from "../../../../src/jobs/job.js";
import { proxyJob } from "../../../../src/jobs/proxy.js";
import { findSnapshot, restoreSnapshot } from "../../../../src/lake/copy/restore-snapshot.js";
import { takeSnapshot } from "../../../../src/lake/copy/take-snapshot.js";
import { bindAs } from "../../../../src/lake/service-binding.js";
import { createLocalStore } from "../../../../src/lake/store/local/local-store.js";
import { progressOf } from "../../../../src/temporal/running-workflows.js";
import { type BulkWorld, openBulkWorld } from "../../../helpers/bulk/bulk-harness.js";
import { sharedTemporal } from "../../../helpers/temporal/shared-temporal.js";
import { startReceiver } from "../../../helpers/webhooks/receiver.js";

const releases: (() => unknown)[] = [];
afterEach(async () => {
  for (const release of releases.splice(0).reverse()) await release();
});

async function open(job: AnyJob): Promise<BulkWorld> {
  const world = await openBulkWorld(sharedTemporal(), job, { direct: true });
  releases.push(() => world.close());
  await bindAs(world.store, { id: "1f", lake: "a-lake", url: "https://api.example.com", mode: "test" });
  return world;
}

/** Runs a job to its end, and then restores the lake as it was when the first requests were on their way. */
async function runAndRestore(
  world: BulkWorld,
  rows: readonly object[],
  options: Readonly<Record<string, string | number>>,
  release: () => void,
  begun: () => number,
): Promise<void> {
  const place = createLocalStore(`${world.lake}-snapshots`);
  const { handle } = await world.begin(rows, options);
  await expect.poll(begun).toBeGreaterThan(0);
  await takeSnapshot(world.store, place, () => undefined);
  release();
  expect(await handle.result()).toMatchObject({ rows: { done: rows.length } });
  await world.stopWorker();
  await rename(world.lake, `${world.lake}-lost`);
  await restoreSnapshot(place, await findSnapshot(place, undefined), world.store);
  await world.startWorker();
}

test("an import that was open in the snapshot finds what it has sent, before the snapshot and after it", async () => {
  const world = await open(importJob as AnyJob);
  const { sandbox } = world;
  sandbox.addLink({ fp_id: "u", id: "l1", accounts: [{ id: "a1" }] });
  const rows = Array.from({ length: 200 }, (_, at) => ({
    ...{
      link_id: "l1",
      account_id: "a1",
      amount: `${at}.50`,
      date: "2026-11-02",
      transaction_id: `own-${at}`,
    },
  }));
  const release = sandbox.hold({ operation: "import_transactions" }, "after");
  await runAndRestore(world, rows, { chunk: 10 }, release, () => sandbox.truth("l1").rows.length);
  const sent = sandbox.requests({ operation: "import_transactions" }).length;
  expect(await world.run(rows, { chunk: 10 })).toMatchObject({ status: "completed", rows: { done: 200 } });
  expect(sandbox.truth("l1").rows).toHaveLength(200);
  expect(sandbox.requests({ operation: "import_transactions" })).toHaveLength(sent);
});

test("requests through a proxy that may have been sent after the snapshot wait for their user", async () => {
  const target = await startReceiver();
  releases.push(() => target.close());
  const world = await open(proxyJob as AnyJob);
  world.sandbox.proxies.configure({ id: "p", target: target.url });
  const rows = Array.from({ length: 20 }, (_, at) => ({ id: `r${at}`, path_and_query: `/r${at}` }));
  const release = world.sandbox.hold({ operation: "call_vault_proxy" }, "after");
  await runAndRestore(world, rows, { proxy: "p" }, release, () => target.received.length);
  const { handle } = await world.begin(rows, { proxy: "p" });
  const held = async () => (await progressOf<BulkProgress>(world.client, handle))?.held;
  await expect.poll(held).toBeGreaterThan(0);
  expect(target.received).toHaveLength(20);
  await handle.signal(TRY_NOW);
  await handle.result();
});
