import { readFile } from "node:fs/promises";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { creationOf } from "../../../src/lake/delta/delta-schema.js";
import { type Lake, openLake } from "../../../src/lake/lake.js";
import { readTable, readTables } from "../../../src/lake/query/query-views.js";
import { sqlText, typedColumns } from "../../../src/lake/sql/duckdb-sql.js";
import { type FeedFile, writeFeedFile } from "../../../src/lake/sync/feed-file.js";
import { hashRows, rowsSha256 } from "../../../src/lake/sync/rows-hash.js";
import { linkSyncs } from "../../../src/lake/tables/link-syncs.js";
import { addOf, type DataFile, writeQuery } from "../../../src/lake/tables/parquet-file.js";
import { transactionChanges } from "../../../src/lake/tables/transactions.js";
import { openTestLake, type TestLake } from "../../helpers/lake/delta-lake.js";
import { appendRows } from "../../helpers/query/append-rows.js";

type Row = Readonly<Record<string, string | number | boolean | null>>;

const { columns } = transactionChanges;
const RUN = "run";

let base: TestLake;
let lake: Lake;
let printed: string;
beforeEach(async () => {
  base = await openTestLake();
  lake = openLake({ directory: base.directory });
  const page = await readFile(new URL("../../../docs/use/tables.md", import.meta.url), "utf8");
  printed = [...page.matchAll(/```sql\n(.*?)```/gs)].map(([, sql]) => sql ?? "").find(isOfRows) ?? "";
});
afterEach(async () => {
  await lake.close();
  await base.release();
});
const isOfRows = (sql: string) => sql.includes("as certified");

/** SQL of rows of the feed; what a row leaves out is null. */
function rowsSql(rows: readonly Row[]): string {
  const struct = columns.map(({ name }) => `"${name}" varchar`).join(", ");
  const json = rows.map((row) => Object.fromEntries(columns.map(({ name }) => [name, row[name] ?? null])));
  const texts = `unnest(${sqlText(JSON.stringify(json))}::json::struct(${struct})[], recursive := true)`;
  return `select ${typedColumns(columns)} from (select ${texts})`;
}

/** Adds files to the feed, as this program or another tool has written them. */
async function addToFeed(files: readonly DataFile[]): Promise<void> {
  await lake
    .table(transactionChanges.name)
    .commit((snapshot) => [
      ...(snapshot.version === -1 ? creationOf(transactionChanges, 0) : []),
      ...files.map((file) => ({ add: addOf(file) })),
    ]);
}

async function certify(hashes: ReadonlyMap<string, string | null>): Promise<void> {
  const rows = [...hashes].map(([link_id, rows_sha256]) => {
    return { run_id: RUN, link_id, rows_sha256, certificate: "c" };
  });
  await appendRows(lake, linkSyncs, rows);
}

/** `rows_sha256` of each link, as the load makes it of what files say of themselves. */
function certified(files: readonly FeedFile[]): Map<string, string | null> {
  const parts = files.flatMap((file) => file.parts);
  const links = [...new Set(parts.map(({ link_id }) => link_id))].sort();
  return new Map(links.map((link) => [link, rowsSha256(parts.filter(({ link_id }) => link_id === link))]));
}

/** The same, as `verify` computes it from the feed. */
async function recomputed(): Promise<Map<string, string | null>> {
  const feed = await readTable({ ...lake, table: transactionChanges.name });
  const rows = await lake.duckdb.exclusive(async (sql) => {
    await hashRows(sql, feed);
    return sql.rows("from hashed order by link_id");
  });
  return new Map(rows.map(({ link_id, rows_sha256 }) => [String(link_id), String(rows_sha256)]));
}

const asPrinted = () => readTables(lake, [linkSyncs, transactionChanges], (sql) => sql.rows(printed));

const text = fc.option(
  fc.oneof(fc.string(), fc.constantFrom("", "null", '","', "a\nb", "\u0000", "é\u001f", '"]["')),
);
const amount = fc.option(
  fc.constantFrom("0", "-0.01", "99999999.9999999999", "100000000", "-123456789012345678.0000000001"),
);
const page = fc.record({
  link: fc.constantFrom("a", "b", "it's"),
  file: fc.integer({ min: 0, max: 2 }),
  rows: fc.array(
    fc.record({
      ...{ description: text, merchant_name: text, amount, signed_amount: amount },
      datetime: fc.option(fc.constantFrom("1969-12-31T23:59:59.999999Z", "2026-02-03T04:05:06Z")),
      date: fc.option(fc.constantFrom("2026-02-03", "0999-12-31")),
      pending: fc.option(fc.boolean()),
      /** A sequence before the row that a row in quarantine has taken. */
      skipped: fc.boolean(),
    }),
    { maxLength: 4 },
  ),
});
type Page = typeof page extends fc.Arbitrary<infer T> ? T : never;

/** The rows of each file: pages of links in any file, and of link `b` inferred removals in two blocks of a file of their own. */
function filesOf(pages: readonly Page[]): Row[][] {
  const files: Row[][] = [[], [], [], []];
  const next = new Map<string, number>();
  const taken = (link: string) => {
    const sequence = (next.get(link) ?? 0) + 1;
    next.set(link, sequence);
    return sequence;
  };
  const own = { fp_id: "u", run_id: RUN, generation: 1 };
  for (const [number, { link, file, rows }] of pages.entries()) {
    for (const { skipped, ...row } of rows) {
      if (skipped) taken(link);
      const sequence = taken(link);
      const ids = { link_id: link, transaction_id: `t${sequence}`, change_type: "created", sequence };
      const fetched_at = "2026-01-02T03:04:05.678Z";
      files[file]?.push({ ...own, ...ids, ...row, inferred: false, page: number, fetched_at });
    }
  }
  for (const sequence of [9_999, 10_000, 20_000]) {
    const ids = { link_id: "b", transaction_id: `t${sequence}`, change_type: "removed", sequence };
    files[3]?.push({ ...own, ...ids, inferred: true, fetched_at: "2026-01-02T00:00:00Z" });
  }
  return files;
}

async function written(files: readonly Row[][]): Promise<FeedFile[]> {
  const found: FeedFile[] = [];
  for (const rows of files) {
    // The rows of a file are in no order.
    const file = await writeFeedFile(lake, "p", `${rowsSql(rows)} order by hash(sequence)`);
    if (file !== undefined) found.push(file);
  }
  return found;
}

test("what files say of themselves, what verify computes and the printed query are one hash", async () => {
  await fc.assert(
    fc
      .asyncProperty(fc.array(page, { maxLength: 8 }), async (pages) => {
        const files = await written(filesOf(pages));
        await addToFeed(files);
        const hashes = certified(files);
        await certify(hashes);
        expect(await recomputed()).toEqual(hashes);
        expect(await asPrinted()).toEqual([]);
      })
      .afterEach(async () => {
        await lake.close();
        await base.release();
        base = await openTestLake();
        lake = openLake({ directory: base.directory });
      }),
    { numRuns: 20 },
  );
});

const GOOD: Row = {
  ...{ link_id: "a", fp_id: "u", run_id: RUN, generation: 1, inferred: false, page: 0 },
  ...{ transaction_id: "t1", change_type: "created", sequence: 1, fetched_at: "2026-01-02T03:04:05Z" },
};
const OTHER = {
  BIGINT: "7",
  INTEGER: "7",
  BOOLEAN: "true",
  DATE: "2026-02-03",
  TIMESTAMPTZ: "2026-02-03T00:00:00Z",
};

test("a value of any column that is changed gives another hash", async () => {
  const names = columns.map(({ name }) => name).sort();
  const ofLink = (link_id: string) => [
    { ...GOOD, link_id },
    { ...GOOD, link_id, transaction_id: "t2", sequence: 2 },
  ];
  const files = await written([names.flatMap(ofLink)]);
  const hashes = certified(files);
  await certify(hashes);
  const changed = columns.flatMap(({ name, type }) => {
    const value = (OTHER as Readonly<Record<string, string>>)[type] ?? (type === "VARCHAR" ? "" : "1.5");
    const [first, second] = ofLink(name);
    return [{ ...first, [name]: value }, second as Row];
  });
  await addToFeed(await writeQuery(lake, transactionChanges, "p", rowsSql(changed)));
  const found = (await asPrinted()).map(({ link_id, certified }) => [link_id, certified]);
  expect(found.sort()).toEqual([...hashes]);
  const now = await recomputed();
  expect(names.filter((name) => now.get(name) === hashes.get(name))).toEqual([]);
});

test("a page that another tool has cut into two files is hashed as the page that it was", async () => {
  const rows = Array.from({ length: 6 }, (_, at) => ({
    ...GOOD,
    transaction_id: `t${at}`,
    sequence: at + 1,
  }));
  const files = await written([rows]);
  const [first, last] = await written([
    rows.filter(({ sequence }) => sequence % 2 === 0),
    rows.filter(({ sequence }) => sequence % 2 === 1),
  ]);
  const big = await writeFeedFile(
    lake,
    "p",
    `select * exclude (range) replace ((range + 1)::bigint as sequence, (range % 9)::integer as page)
      from (${rowsSql([{ ...GOOD, link_id: "z" }])}), range(30000)`,
  );
  // Too many rows between them for one batch.
  await addToFeed([first, big, last] as FeedFile[]);
  expect((await recomputed()).get("a")).toBe(certified(files).get("a"));
});
