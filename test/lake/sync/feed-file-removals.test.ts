import { expect, test } from "vitest";
import { creationOf } from "../../../src/lake/delta/delta-schema.js";
import { openLake } from "../../../src/lake/lake.js";
import { inferRemovals } from "../../../src/lake/sync/feed-file.js";
import { addOf, type DataFile, writeRows } from "../../../src/lake/tables/parquet-file.js";
import { transactionChanges } from "../../../src/lake/tables/transactions.js";
import { eachTest } from "../../helpers/each-test.js";
import { openTestLake } from "../../helpers/lake/delta-lake.js";

const base = eachTest(openTestLake);
const lake = eachTest(() => openLake({ directory: base.directory }));

async function fileOf(link: string, ...events: readonly string[]): Promise<DataFile> {
  const rows = events.map((event, at) => {
    const [change, transaction_id] = event.split(" ");
    const pending = change === "pending";
    return {
      link_id: link,
      change_type: pending ? "created" : change,
      transaction_id,
      sequence: at + 1,
      pending,
    };
  });
  const [file] = await writeRows(lake, transactionChanges, "p", rows);
  if (file === undefined) throw new Error("no rows");
  return file;
}

async function feed(...files: readonly DataFile[]): Promise<void> {
  await lake
    .table("transaction_changes")
    .commit(({ version }) => [
      ...(version === -1 ? creationOf(transactionChanges, 0) : []),
      ...files.map((file) => ({ add: addOf(file) })),
    ]);
}

const infer = (
  files: readonly DataFile[],
  quarantinedIds: readonly string[] = [],
  pending = lake.pending,
  resyncFrom = 101,
) =>
  inferRemovals(
    { ...lake, pending },
    {
      linkId: "it's",
      fpId: "u",
      externalId: null,
      runId: "run",
      generation: 2,
      sequenceFrom: 101,
      resyncFrom,
      files,
      quarantinedIds,
      at: new Date("2026-01-02T03:04:05.678Z"),
    },
  );

test("known and not come back is gone: removed ones are not known, re-created ones are, quarantined ones came", async () => {
  await feed(
    await fileOf(
      "it's",
      "created a",
      "created b",
      "created c",
      "removed c",
      "created d",
      "removed d",
      "created d",
      "created e",
    ),
    await fileOf("it", "created z"),
  );
  const found = await infer([await fileOf("it's", "created a", "updated x")], ["e"]);
  expect(found).toMatchObject({ known: 4, gone: 2 });
  const file = await found.write();
  const rows = await lake.duckdb.exclusive((sql) =>
    sql.rows(
      `select transaction_id, change_type, inferred, sequence, generation, link_id, fp_id, run_id, amount
       from read_parquet('${base.directory}/transaction_changes/${file?.path}') order by sequence`,
    ),
  );
  const common = {
    change_type: "removed",
    inferred: true,
    generation: 2,
    link_id: "it's",
    fp_id: "u",
    run_id: "run",
    amount: null,
  };
  expect(rows).toMatchObject([
    { ...common, transaction_id: "b", sequence: 101n },
    { ...common, transaction_id: "d", sequence: 102n },
  ]);
});

test("a row that came back as removed is not inferred a second time", async () => {
  await feed(await fileOf("it's", "created a"));
  expect(await infer([await fileOf("it's", "removed a")])).toMatchObject({ known: 1, gone: 0 });
});

test("rows of a resync that was committed in part came back with it", async () => {
  await feed(await fileOf("it's", "created a", "created b", "created c", "updated b"));
  expect(await infer([], [], lake.pending, 4)).toMatchObject({ known: 3, gone: 2 });
});

test("nothing came back: everything known is gone", async () => {
  await feed(await fileOf("it's", "created a", "created b"));
  expect(await infer([])).toMatchObject({ known: 2, gone: 2 });
});

// Most rows of a new link may be pending ones of earlier nights: the resync was refused, or listed them all as removed.
test("pending rows that are replaced are not missed by a full resync; as long as nothing says so, they are", async () => {
  await feed(await fileOf("it's", "created a", "pending p", "pending q", "created q"));
  const back = [await fileOf("it's", "created a")];
  expect(await infer(back, [], "replaced")).toMatchObject({ known: 2, gone: 1 });
  expect(await infer(back)).toMatchObject({ known: 3, gone: 2 });
});

test("without a feed nothing is known", async () => {
  const found = await infer([]);
  expect(found).toMatchObject({ known: 0, gone: 0 });
  expect(await found.write()).toBeUndefined();
});
