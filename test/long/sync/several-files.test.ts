import { expect, test } from "vitest";
import { decimalText, decimalUnits, type NewEvent } from "../../../sandbox/index.js";
import { rowsOfFiles } from "../../helpers/lake/file-rows.js";
import { expectCurrentState } from "../../helpers/lake/lake-truth.js";
import { addLink, created, linkSync, versionsOf } from "../../helpers/sync/scripted-links.js";
import { syncWorlds } from "../../helpers/sync/sync-worlds.js";

const worlds = syncWorlds();

test("a link of 60,000 rows is loaded into several files while it is read, and committed once", async () => {
  const world = await worlds.open({ direct: true });
  addLink(world, "big", 0);
  addLink(world, "small", 5);
  const rows = 60_000;
  world.sandbox.append(
    "big",
    Array.from({ length: rows }, (_, n): NewEvent => created(`t${n}`, { amount: `${n}.01` })),
  );
  // Slices end after five seconds: at this pace the link takes two, and the first is loaded beside the second.
  world.sandbox.setLatency(60);
  const { runId } = await world.sync();
  expect(await linkSync(world, runId, "big")).toMatchObject({
    status: "synced",
    pages: rows / 500,
    created: rows,
    sequence_from: 1,
    sequence_to: rows,
  });
  const commits = await world.rows(
    "select count(distinct run_id) as runs, count(*) as rows, sum(amount) as total from transaction_changes where link_id = 'big'",
  );
  const units = Array.from({ length: rows }, (_, n) => decimalUnits(`${n}.01`) ?? 0n);
  expect(commits[0]).toMatchObject({ rows, total: decimalText(units.reduce((sum, unit) => sum + unit, 0n)) });
  const versions = await versionsOf(world, "transaction_changes");
  const withBig = [];
  for (const files of versions) {
    const [found] = await rowsOfFiles(
      `select count(*) as n from read_parquet([${files}]) where link_id = 'big'`,
    );
    withBig.push(found?.n);
  }
  expect(withBig.filter((n) => n !== 0 && n !== rows)).toEqual([]);
  expect(versions.at(-1)?.split(", ").length).toBeGreaterThanOrEqual(3);
  await expectCurrentState(world);
});
