import { afterAll, beforeAll, expect, test } from "vitest";
import { transactionRow } from "../../../../sandbox/world/records.js";
import { openLake } from "../../../../src/lake/lake.js";
import { forget } from "../../../../src/lake/sync/forget/forget.js";
import { appendOnce } from "../../../../src/lake/tables/append.js";
import { transactionImports } from "../../../../src/lake/tables/bulk.js";
import { writeRows } from "../../../../src/lake/tables/parquet-file.js";
import { TABLES } from "../../../../src/tables.js";
import { addLink } from "../../../helpers/sync/scripted-links.js";
import { openSyncWorld, type SyncWorld } from "../../../helpers/sync/sync-harness.js";
import { verified } from "../../../helpers/tampering/verified.js";
import { sharedTemporal } from "../../../helpers/temporal/shared-temporal.js";

const temporal = sharedTemporal();
let world: SyncWorld;
beforeAll(async () => {
  world = await openSyncWorld(temporal);
});
afterAll(async () => {
  await world?.close();
  await temporal.stop();
});

// A payment of the person stayed in `transaction_links`, and verify was broken for good; what had been imported for the
// present owner was sent again.
test("of a link that has moved, what was the former owner's goes, and what is the present one's stays", async () => {
  const { sandbox } = world;
  addLink(world, "link_m", 3, "fp_x");
  const pending = { transaction_id: "p_x", account_id: "link_m-acc", pending: true };
  sandbox.append("link_m", [{ change: "created", row: transactionRow(pending) }]);
  await world.sync({ users: ["fp_x", "fp_y"] });
  sandbox.removeLink("link_m");
  addLink(world, "link_m", 8, "fp_y");
  await world.sync({ users: ["fp_x", "fp_y"], full: true });
  expect(await world.rows("select pending_transaction_id from transaction_links")).toHaveLength(1);
  const lake = openLake({ directory: world.lake });
  try {
    const row = { run_id: "import-1", line: 2, link_id: "link_m", transaction_id: "own", status: "accepted" };
    await appendOnce(lake, transactionImports, "import-1", () =>
      writeRows(lake, transactionImports, "import-1", [row]),
    );
    await forget(lake, TABLES, "fp_x", { reason: "asked for it", by: "privacy" });
  } finally {
    await lake.close();
  }
  expect(await world.rows("from transaction_links")).toEqual([]);
  expect(await verified(world.lake)).toMatchObject({ code: 0 });
  expect(await world.rows("select link_id from transaction_imports")).toEqual([{ link_id: "link_m" }]);
  expect(await world.rows("select distinct fp_id from transactions")).toEqual([{ fp_id: "fp_y" }]);
});
