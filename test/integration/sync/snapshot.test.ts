import { rename } from "node:fs/promises";
import { expect, test } from "vitest";
import { findSnapshot, restoreSnapshot } from "../../../src/lake/copy/restore-snapshot.js";
import { readSnapshot, snapshotKeys } from "../../../src/lake/copy/snapshot.js";
import { takeSnapshot } from "../../../src/lake/copy/take-snapshot.js";
import { openQuery } from "../../../src/lake/query/query.js";
import { bindAs } from "../../../src/lake/service-binding.js";
import { createLocalStore } from "../../../src/lake/store/local/local-store.js";
import { TRUTH_COLUMNS } from "../../helpers/lake/truth-row.js";
import { addLink, addRows, created, removed, updated } from "../../helpers/sync/scripted-links.js";
import type { SyncWorld } from "../../helpers/sync/sync-harness.js";
import { syncWorlds } from "../../helpers/sync/sync-worlds.js";
import { verified } from "../../helpers/tampering/verified.js";

const worlds = syncWorlds();

/** Opens a world whose lake is bound, as a command binds it. */
async function openBound(): Promise<SyncWorld> {
  const world = await worlds.open();
  await bindAs(world.store, { id: "1f", lake: "a-lake", url: "https://api.example.com", mode: "test" });
  return world;
}

/** What a lake says of its links, without what names single runs. */
async function saidBy(lake: string) {
  const query = openQuery(createLocalStore(lake), { scratchDirectory: `${lake}-scratch` });
  const rows = async (sql: string) => {
    const found = [];
    for await (const batch of query.query(sql)) found.push(...batch);
    return found;
  };
  try {
    const columns = TRUTH_COLUMNS.map((name) => `"${name}"`).join(", ");
    return {
      live: await rows(`select ${columns} from transactions order by link_id, transaction_id`),
      feed: await rows(
        "select link_id, change_type, transaction_id, inferred from transaction_changes order by link_id, sequence",
      ),
      pairs: await rows(
        "select link_id, pending_transaction_id, posted_transaction_id from transaction_links order by all",
      ),
      links: await rows("select fp_id, link_id from bank_links_current order by all"),
      cursors: await rows(
        "select link_id, arg_max(cursor_out, finished_at) as next from link_syncs group by all order by all",
      ),
    };
  } finally {
    await query.close();
  }
}

/** Two nights: what is new, changed and gone, also of what the snapshot has, and a link that it has not. */
async function laterNights(world: SyncWorld): Promise<void> {
  world.sandbox.append("a", [removed("a-0001"), updated("a-0002", { amount: "9.99" }), removed("P")]);
  world.sandbox.append("a", [created("Q", { amount: "5.00" })]);
  addLink(world, "c", 7, "fp_2");
  await world.sync();
  addRows(world.sandbox, "b", 5, 10);
  world.sandbox.append("c", [removed("c-0003")]);
  await world.sync();
}

test("a restored lake syncs to what a lake has that was never restored, and proves it", async () => {
  const world = await openBound();
  addLink(world, "a", 30);
  addLink(world, "b", 10);
  await world.sync();
  world.sandbox.append("a", [created("P", { amount: "5.00", pending: true }), removed("a-0000")]);
  await world.sync();
  const place = createLocalStore(`${world.lake}-snapshots`);
  const { root } = await takeSnapshot(world.store, place, () => undefined);
  await laterNights(world);
  await world.stopWorker();
  await rename(world.lake, `${world.lake}-kept`);
  const kept = await saidBy(`${world.lake}-kept`);
  await restoreSnapshot(place, await findSnapshot(place, String(root)), world.store);
  expect((await saidBy(world.lake)).feed.length).toBeLessThan(kept.feed.length);
  expect(await verified(world.lake)).toMatchObject({ code: 0 });
  await world.startWorker();
  expect((await world.sync()).result).toMatchObject({ status: "completed", links: { failed: 0 } });
  await world.stopWorker();
  expect(await saidBy(world.lake)).toEqual(kept);
  expect(await verified(world.lake)).toMatchObject({ code: 0, text: expect.stringMatching(/^proved: /) });
});

test("each snapshot that is taken while syncs run is a lake that proves itself", async () => {
  const world = await openBound();
  for (const link of ["a", "b", "c"]) addLink(world, link, 40);
  await world.sync();
  const place = createLocalStore(`${world.lake}-snapshots`);
  for (const link of ["a", "b", "c"]) {
    addRows(world.sandbox, link, 20, 100);
    world.sandbox.append(link, [removed(`${link}-0001`)]);
  }
  let running = true;
  const sync = world.sync({ pageSize: 5 }).finally(() => {
    running = false;
  });
  do await takeSnapshot(world.store, place, () => undefined);
  while (running);
  await sync;
  const keys = await snapshotKeys(place);
  expect(keys.length).toBeGreaterThan(2);
  for (const [n, key] of keys.entries()) {
    const restored = createLocalStore(`${world.lake}-${n}`);
    await restoreSnapshot(place, await readSnapshot(place, key), restored);
    expect(await verified(restored.address), key).toMatchObject({ code: 0 });
  }
});
