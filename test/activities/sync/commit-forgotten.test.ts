import { beforeEach, expect, test } from "vitest";
import { transactionRow } from "../../../sandbox/index.js";
import { type CommitInput, commit } from "../../../src/activities/sync/commit/commit.js";
import { load } from "../../../src/activities/sync/load/load.js";
import { schemaActions } from "../../../src/lake/delta/delta-schema.js";
import { readTables } from "../../../src/lake/query/query-views.js";
import { forgetting, remembering } from "../../../src/lake/sync/forget/forgotten.js";
import { linkCheckpoint } from "../../../src/lake/sync/link-checkpoint.js";
import { linkSyncs } from "../../../src/lake/tables/link-syncs.js";
import { quarantine } from "../../../src/lake/tables/quarantine.js";
import { transactionChanges } from "../../../src/lake/tables/transactions.js";
import { accountStream } from "../../../src/streams/accounts.js";
import { eachTest } from "../../helpers/each-test.js";
import { openActivityBench } from "../../helpers/temporal/activity-bench.js";

const LOOKED_AT = [accountStream.table, transactionChanges, linkSyncs, quarantine];

const ROSTER = [{ fp_id: "fp_x", external_id: "C-x" }, { fp_id: "fp_y" }];

const bench = eachTest(openActivityBench);
beforeEach(async () => {
  for (const who of ["x", "y"]) {
    const id = `link_${who}`;
    bench.sandbox.addLink({ fp_id: `fp_${who}`, id });
    bench.sandbox.addAccount(id, { id: `account_${who}` });
    const row = transactionRow({ transaction_id: `t_${who}`, account_id: `account_${who}` });
    bench.sandbox.append(id, [
      { change: "created", row },
      { change: "created", row: { ...row, transaction_id: `bad_${who}`, amount: "much" } },
    ]);
  }
  await bench.freeze(ROSTER);
});

/** Reads and loads both users, and gives what commits them. */
async function readAndLoaded(runId = "run"): Promise<() => ReturnType<typeof commit>> {
  const { report } = await bench.read({ runId });
  if (report === null) throw new Error("the slice has no report");
  const reports = [report];
  const { manifest } = await bench.run(() => load(bench.deps, { runId, reports, links: [] }));
  const input: CommitInput = {
    ...{ runId, chunk: 0, streams: ["accounts", "transactions"], full: false, removed: {} },
    ...{ reports, loaded: [{ report, manifest, without: [] }], links: [], manifests: [manifest] },
    ...{ failed: [] },
  };
  return () => bench.run(() => commit(bench.deps, input));
}

const forgetX = () =>
  bench.deps.lake
    .table(transactionChanges.name)
    .commit((feed) => [
      ...schemaActions(transactionChanges, feed, 0),
      ...forgetting(feed, "fp_x", ["link_x"]),
    ]);

/** The users of whom each table has rows. */
async function users(): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = {};
  for (const spec of LOOKED_AT) {
    const rows = await readTables(bench.deps.lake, [spec], (sql) =>
      sql.rows(`select distinct fp_id from ${spec.name} order by fp_id`),
    );
    found[spec.name] = rows.map(({ fp_id }) => fp_id);
  }
  return found;
}

const usersOfAll = (whom: readonly string[]) => Object.fromEntries(LOOKED_AT.map(({ name }) => [name, whom]));

// A sync whose pages were under way brought the rows back after `forget` had reported success.
test("of a user who was forgotten while their pages were under way nothing is committed", async () => {
  const committed = await readAndLoaded();
  await forgetX();
  expect((await committed()).totals).toMatchObject({ links: { synced: 1, failed: 0 }, rows: { created: 1 } });
  expect(await users()).toEqual(usersOfAll(["fp_y"]));
});

// Certificates that the feed has and `link_syncs` lacks are a problem that `verify` names.
test("a commit of before, whose answer was lost, is reported all the same", async () => {
  const committed = await readAndLoaded();
  await committed();
  await forgetX();
  expect((await committed()).totals).toMatchObject({ links: { synced: 2 } });
  expect(await users()).toEqual(usersOfAll(["fp_x", "fp_y"]));
});

// It counted as the link's newest state, and what came before it was never read again.
test("a reading that goes on from rows that were erased is not committed, also where the user is read again", async () => {
  await (await readAndLoaded())();
  const row = transactionRow({ transaction_id: "t_later", account_id: "account_x" });
  bench.sandbox.append("link_x", [{ change: "created", row }]);
  await bench.freeze(ROSTER, "later");
  const committed = await readAndLoaded("later");
  await forgetX();
  await bench.deps.lake.table(transactionChanges.name).commit((feed) => remembering(feed, ["fp_x"]));
  expect((await committed()).totals).toMatchObject({ links: { synced: 0 }, rows: { created: 0 } });
  const feed = await bench.deps.lake.table(transactionChanges.name).snapshot();
  expect(linkCheckpoint(feed, "link_x")).toMatchObject({ erased: true });
});
