import { beforeEach, expect, test } from "vitest";
import { schemaActions, type TableSpec } from "../../../../src/lake/delta/delta-schema.js";
import { type DeltaTable, openTable } from "../../../../src/lake/delta/delta-table.js";
import { openLake } from "../../../../src/lake/lake.js";
import { maintain } from "../../../../src/lake/maintain/maintain.js";
import { materialize } from "../../../../src/lake/materialize/materialize.js";
import { readTables } from "../../../../src/lake/query/query-views.js";
import { sqlText, typedColumns } from "../../../../src/lake/sql/duckdb-sql.js";
import { writeFeedFile } from "../../../../src/lake/sync/feed-file.js";
import { setHold } from "../../../../src/lake/sync/forget/holds.js";
import { applyRetention } from "../../../../src/lake/sync/retention/apply-retention.js";
import { rowsSha256 } from "../../../../src/lake/sync/rows-hash.js";
import { purges } from "../../../../src/lake/tables/erasures.js";
import { linkSyncs } from "../../../../src/lake/tables/link-syncs.js";
import { addOf } from "../../../../src/lake/tables/parquet-file.js";
import { runs } from "../../../../src/lake/tables/runs.js";
import { transactionChanges, transactions } from "../../../../src/lake/tables/transactions.js";
import { eachTest } from "../../../helpers/each-test.js";
import { openTestLake } from "../../../helpers/lake/delta-lake.js";
import { heardTime, LATE } from "../../../helpers/lake/log/heard-time.js";
import { appendRows } from "../../../helpers/query/append-rows.js";

const base = eachTest(openTestLake);
const lake = eachTest(() => openLake({ directory: base.directory }));
beforeEach(async () => {
  await heardTime(lake, LATE);
});

const NOW = Date.parse("2026-06-30T12:00:00Z");
const OLD = "2025-06-30";
const NEW = "2026-06-01";
const retention = applyRetention({ transactions: 1 }, () => NOW);
const retain = () => retention(lake, { dryRun: false });

type Row = readonly [id: string, date: string | null, fpId?: string];

let sequence = 0;

/** Writes an update of link `l` into the feed; gives the hash of its rows. */
async function feed(run_id: string, rows: readonly Row[]): Promise<string | null> {
  const { columns } = transactionChanges;
  const own = { link_id: "l", run_id, generation: 1, change_type: "created", inferred: false, page: 0 };
  const values = rows.map(([transaction_id, date, fp_id = "u"]): Readonly<Record<string, unknown>> => {
    sequence++;
    return { ...own, transaction_id, date, fp_id, sequence, fetched_at: "2025-06-01T00:00:00Z" };
  });
  const struct = columns.map(({ name }) => `"${name}" varchar`).join(", ");
  const json = values.map((row) => Object.fromEntries(columns.map(({ name }) => [name, row[name] ?? null])));
  const texts = `unnest(${sqlText(JSON.stringify(json))}::json::struct(${struct})[], recursive := true)`;
  const file = await writeFeedFile(
    lake,
    "p",
    `select ${typedColumns(columns)} from (select ${texts}) order by sequence`,
  );
  if (file === undefined) return null;
  await lake
    .table(transactionChanges.name)
    .commit((snapshot) => [...schemaActions(transactionChanges, snapshot, 0), { add: addOf(file) }]);
  return rowsSha256(file.parts);
}

const append = (spec: TableSpec, row: Readonly<Record<string, unknown>>) => appendRows(lake, spec, [row]);

/** An update with its certificate. */
async function updated(run_id: string, rows: readonly Row[]): Promise<void> {
  const rows_sha256 = await feed(run_id, rows);
  await append(linkSyncs, { run_id, link_id: "l", rows_sha256, certificate: `c ${run_id}` });
}

const left = () =>
  readTables(lake, [transactionChanges], async (sql) => {
    const rows = await sql.rows("select transaction_id || ' ' || run_id as id from transaction_changes");
    return rows.map(({ id }) => id).sort();
  });
const purged = () =>
  readTables(lake, [purges], async (sql) =>
    (await sql.rows("select distinct run_id from purges order by 1")).map(({ run_id }) => run_id),
  );

test("a certificate whose rows were changed before keeps them all, is not proved anew, and is named; others lose theirs", async () => {
  await updated("good", [
    ["gone", OLD],
    ["g", NEW],
  ]);
  await feed("bad", [
    ["changed", NEW],
    ["over", OLD],
  ]);
  await append(linkSyncs, { run_id: "bad", link_id: "l", rows_sha256: "of other rows", certificate: "c" });
  // Without its later change, this one would be as the earlier one says.
  await updated("more", [["over", OLD]]);
  const report = await maintain(lake, [transactionChanges], { retainDays: 7, retention });
  expect(report.left_alone).toEqual([
    {
      table: "transaction_changes",
      why: expect.stringMatching(/ 1 certificate .*: link l, run bad\. .*nightledger verify/),
      by_owner: false,
    },
  ]);
  expect(await left()).toEqual(["changed bad", "g good", "over bad", "over more"]);
  expect(await purged()).toEqual(["good"]);
});

test("what retention left of a certificate is proved when more of it goes; rows added since are not", async () => {
  await updated("run", [
    ["first", OLD],
    ["second", "2025-07-01"],
    ["third", NEW],
  ]);
  expect((await retain())[0]?.unproved).toBeUndefined();
  const later = applyRetention({ transactions: 1 }, () => Date.parse("2026-07-01T12:00:00Z"));
  expect((await later(lake, { dryRun: false }))[0]?.unproved).toBeUndefined();
  expect(await left()).toEqual(["third run"]);
  await feed("run", [["back", OLD]]);
  expect((await retain())[0]?.unproved).toContain("link l, run run");
  expect(await left()).toEqual(["back run", "third run"]);
});

test("rows of a run that has not written its certificate yet wait for it, and nothing is wrong", async () => {
  const rows_sha256 = await feed("under way", [["old", OLD]]);
  const [report] = await retain();
  expect([report?.unproved, await left()]).toEqual([undefined, ["old under way"]]);
  await append(linkSyncs, { run_id: "under way", link_id: "l", rows_sha256, certificate: "c" });
  await retain();
  expect(await left()).toEqual([]);
});

test("rows that came less than ninety days ago by the service's time stay, whatever their day and their machine's clock", async () => {
  await updated("new", [["of 1970", "1970-01-01"]]);
  await append(runs, { run_id: "new", service_time: "2026-04-02T12:00:00Z" });
  await updated("old", [["old", OLD]]);
  await append(runs, { run_id: "old", service_time: "2026-04-01T12:00:00Z" });
  await retain();
  expect(await left()).toEqual(["of 1970 new"]);
});

test("rows of a run that has ended without a certificate of them are named", async () => {
  await feed("ended", [["old", OLD]]);
  await append(runs, { run_id: "ended" });
  expect((await retain())[0]?.unproved).toContain("link l, run ended");
  expect(await left()).toEqual(["old ended"]);
});

test("a transaction of a link that two users had stays whole while one of them is under a hold", async () => {
  await updated("first", [
    ["shared", OLD, "held"],
    ["held's", OLD, "held"],
  ]);
  await updated("second", [
    ["shared", OLD, "other"],
    ["other's", OLD, "other"],
  ]);
  await setHold(lake, ["held"], "held", { reason: "case 1", by: "counsel" });
  await retain();
  expect(await left()).toEqual(["held's first", "shared first", "shared second"]);
});

test("whoever comes under a hold while retention erases keeps what the feed has, and has it in transactions again", async () => {
  await updated("first", [["kept", OLD, "held"]]);
  await updated("second", [["gone", OLD, "other"]]);
  await materialize(lake);
  const table = (name: string) => {
    if (name !== transactions.name) return lake.table(name);
    const commit: DeltaTable["commit"] = async (...args) => {
      const committed = await lake.table(name).commit(...args);
      await setHold(lake, ["held"], "held", { reason: "case 1", by: "counsel" });
      return committed;
    };
    return Object.assign(openTable(lake.store, name, lake.duckdb), { commit });
  };
  await retention({ ...lake, table }, { dryRun: false });
  expect(await left()).toEqual(["kept first"]);
  const rows = await readTables(lake, [transactions], (sql) => sql.rows("from transactions"));
  expect(rows.map(({ transaction_id }) => transaction_id)).toEqual(["kept"]);
  expect(await purged()).toEqual(["second"]);
});

test("changes without a day go by the day on which they came, also without a row of their run", async () => {
  await updated("first", [["no day", null]]);
  await retain();
  expect(await left()).toEqual([]);
});
