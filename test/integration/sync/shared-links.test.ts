import { expect, test } from "vitest";
import { addLink } from "../../helpers/sync/scripted-links.js";
import { syncWorlds } from "../../helpers/sync/sync-worlds.js";

const worlds = syncWorlds();

test("a link that two users list is committed once, also where two slices read it at once", async () => {
  const world = await worlds.open();
  // The first slices take a third, two thirds and a whole of a thousand users.
  const users = Array.from({ length: 700 }, (_, n) => `fp_${String(n).padStart(3, "0")}`);
  for (const user of users) world.sandbox.addUser({ fp_id: user });
  addLink(world, "shared", 25, "fp_000");
  addLink(world, "beside", 3, "fp_699");
  world.sandbox.world.users.get("fp_699")?.linkIds.push("shared");
  const { result, runId } = await world.sync();
  expect(result).toMatchObject({ status: "completed", rows: { created: 28 } });
  const rows = await world.rows("select link_id, status, reason from link_syncs order by all");
  expect(rows).toEqual([
    { link_id: "beside", status: "synced", reason: null },
    { link_id: "shared", status: "superseded", reason: runId },
    { link_id: "shared", status: "synced", reason: null },
  ]);
  expect(
    await world.rows(
      "select count(*) as n, count(distinct sequence) as s from transaction_changes where link_id = 'shared'",
    ),
  ).toEqual([{ n: 25, s: 25 }]);
});
