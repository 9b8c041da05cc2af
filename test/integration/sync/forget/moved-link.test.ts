import { afterAll, beforeEach, expect, test } from "vitest";
import { transactionRow } from "../../../../sandbox/world/records.js";
import { type Lake, openLake } from "../../../../src/lake/lake.js";
import { forget } from "../../../../src/lake/sync/forget/forget.js";
import { appendOnce } from "../../../../src/lake/tables/append.js";
import { transactionImports } from "../../../../src/lake/tables/bulk.js";
import { writeRows } from "../../../../src/lake/tables/parquet-file.js";
import { TABLES } from "../../../../src/tables.js";
import { eachTest } from "../../../helpers/each-test.js";
import { addLink } from "../../../helpers/sync/scripted-links.js";
import { openSyncWorld } from "../../../helpers/sync/sync-harness.js";
import { verified } from "../../../helpers/tampering/verified.js";
import { sharedTemporal } from "../../../helpers/temporal/shared-temporal.js";

const temporal = sharedTemporal();
const world = eachTest(() => openSyncWorld(temporal));
beforeEach(async () => {
  const { sandbox } = world;
  addLink(world, "link_m", 3, "fp_x");
  const pending = { transaction_id: "p_x", account_id: "link_m-acc", pending: true };
  sandbox.append("link_m", [{ change: "created", row: transactionRow(pending) }]);
  await world.sync({ users: ["fp_x", "fp_y"] });
  sandbox.removeLink("link_m");
  addLink(world, "link_m", 8, "fp_y");
  await world.sync({ users: ["fp_x", "fp_y"], full: true });
});
afterAll(() => temporal.stop());

const ASKED = { reason: "asked for it", by: "privacy" };
async function inLake<R>(work: (lake: Lake) => Promise<R>): Promise<R> {
  const lake = openLake({ directory: world.lake });
  try {
    return await work(lake);
  } finally {
    await lake.close();
  }
}
const owners = () => world.rows("select fp_id, count(*)::int as n from transactions group by all");

// A payment of the person stayed in `transaction_links`, and verify was broken for good; what had been imported for the
// present owner was sent again.
test("of a link that has moved, what was the former owner's goes, and what is the present one's stays", async () => {
  expect(await world.rows("select pending_transaction_id from transaction_links")).toHaveLength(1);
  const row = { run_id: "import-1", line: 2, link_id: "link_m", transaction_id: "own", status: "accepted" };
  await inLake(async (lake) => {
    const write = () => writeRows(lake, transactionImports, "import-1", [row]);
    await appendOnce(lake, transactionImports, "import-1", write);
    await forget(lake, TABLES, "fp_x", ASKED);
  });
  expect(await world.rows("from transaction_links")).toEqual([]);
  expect(await verified(world.lake)).toMatchObject({ code: 0 });
  expect(await world.rows("select link_id from transaction_imports")).toEqual([{ link_id: "link_m" }]);
  expect(await owners()).toEqual([{ fp_id: "fp_y", n: 8 }]);
});

// Their removals had gone with the present owner's rows, and `transactions` did not know it.
test("where the present owner is forgotten, the tables are again what is left of the feed", async () => {
  await inLake((lake) => forget(lake, TABLES, "fp_y", ASKED));
  expect(await verified(world.lake)).toMatchObject({ code: 0 });
  expect(await owners()).toEqual([{ fp_id: "fp_x", n: 4 }]);
});
