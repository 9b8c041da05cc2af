import { expect, test } from "vitest";
import { withLakeReader } from "../../../src/cli/lake/reader.js";
import type { SyncSummary } from "../../../src/domain/sync/sync-summary.js";
import { undecidedPending } from "../../../src/lake/sync/unnamed-pending.js";
import { runHere } from "../../helpers/command/command-here.js";
import { expectLakeEqualsTruth } from "../../helpers/lake/lake-truth.js";
import { syncWorlds } from "../../helpers/sync/sync-worlds.js";
import { verified } from "../../helpers/tampering/verified.js";

const worlds = syncWorlds();

const POPULATION = { kind: "synthetic", users: 3, linksPerUser: 1, rows: 20 } as const;
const NIGHT = { created: 2, pending: 3, updated: 2, posted: 1, postedInPlace: 1 };
const NOTHING = { created: 0, pending: 0, updated: 0, removed: 0, posted: 0, postedInPlace: 0 };

// Five nights of three links left 44 of 59 pending rows that were gone, and the run said `completed`.
test("pending rows that each refresh replaces are exact from the night on that shows it, through a kill, a refresh that brings nothing, and --full", async () => {
  const world = await worlds.open({
    sandbox: { population: POPULATION, behaves: new Set(["pending-replaced"]) },
  });
  const { sandbox } = world;
  const lists = () => sandbox.calls().by_operation.list_user_transactions ?? 0;
  sandbox.advance(NIGHT);
  expect((await world.sync()).result).toMatchObject({ status: "completed", pending_undecided: 0 });
  expect(lists()).toBe(0);
  for (const night of [2, 3, 4, 5]) {
    sandbox.advance(NIGHT);
    const { handle } = await world.start();
    if (night === 3) {
      await sandbox.waitForRequests(5);
      await world.stopWorker();
      await world.startWorker();
    }
    const result = (await handle.result()) as SyncSummary;
    expect(result).toMatchObject({ status: "completed", pending_undecided: 0 });
    await expectLakeEqualsTruth(world);
  }
  // One look at the lists of three links, in the second night.
  expect(lists()).toBe(3);
  const [replaced] =
    await world.rows(`select pending_transaction_id as id, removed_run_id as run from transaction_links
    where pending_transaction_id not in (select transaction_id from transactions) and tier = 'exact' limit 1`);
  const explained = await runHere({ directory: world.lake, env: { NIGHTLEDGER_LAKE: world.lake } }, [
    "explain",
    String(replaced?.id),
  ]);
  expect(explained.stdout).toMatch(
    new RegExp(`: gone: replaced by the update of run ${replaced?.run}; it became `),
  );
  sandbox.advance({ ...NOTHING, backDated: 0, recreated: 0, lapsed: 99 });
  expect((await world.sync()).result).toMatchObject({ rows: { created: 0 } });
  expect(await world.rows("select count(*) as n from transactions where pending")).toEqual([{ n: 0 }]);
  await expectLakeEqualsTruth(world);
  sandbox.advance(NIGHT);
  const { result } = await world.sync({ full: true });
  expect(result).toMatchObject({ status: "completed" });
  // What was replaced before is not listed as removed once more.
  expect(await world.rows("select count(*) as n from transaction_changes where inferred")).toEqual([
    { n: 0 },
  ]);
  await expectLakeEqualsTruth(world);
  expect(await verified(world.lake)).toMatchObject({ code: 0 });
});

test("a service that has named no pending row is asked for its lists: nothing is decided while it does not answer, and it lists where an older one is still there", async () => {
  const world = await worlds.open({ sandbox: { population: POPULATION } });
  const { sandbox } = world;
  const onlyPending = { ...NOTHING, backDated: 0, recreated: 0, pending: 3 };
  sandbox.advance(onlyPending);
  await world.sync();
  await expectLakeEqualsTruth(world);
  const older = [...sandbox.truthRows()].filter(({ values }) => values?.pending === true).length;
  sandbox.addFaults({ kind: "status", status: 500, operation: "list_user_transactions" });
  sandbox.advance(onlyPending);
  expect((await world.sync()).result).toMatchObject({ pending_undecided: older });
  expect(await withLakeReader(world.store, undecidedPending)).toBe(older);
  sandbox.clearFaults();
  sandbox.advance(onlyPending);
  expect((await world.sync()).result).toMatchObject({ pending_undecided: 0 });
  await expectLakeEqualsTruth(world);
  sandbox.clearRequests();
  for (const _ of [4, 5]) {
    sandbox.advance(NIGHT);
    expect((await world.sync()).result).toMatchObject({ pending_undecided: 0 });
    await expectLakeEqualsTruth(world);
  }
  expect(sandbox.requests({ operation: "list_user_transactions" })).toEqual([]);
});
