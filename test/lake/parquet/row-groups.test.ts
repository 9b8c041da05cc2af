import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parquetReadObjects } from "hyparquet";
import { compressors } from "hyparquet-compressors";
import { beforeEach, describe, expect, test } from "vitest";
import { readParquetFooter } from "../../../src/lake/parquet/parquet-footer.js";
import { factsOfGroups, writeRowGroups } from "../../../src/lake/parquet/row-groups.js";
import { parquetFiles } from "../../../src/lake/sql/duckdb-files.js";
import type { SqlSession } from "../../../src/lake/sql/duckdb-session.js";
import { sqlText } from "../../../src/lake/sql/duckdb-sql.js";
import { writeFiles } from "../../../src/lake/tables/parquet-file.js";
import { eachTest } from "../../helpers/each-test.js";
import { openTestLake } from "../../helpers/lake/delta-lake.js";

const lake = eachTest(openTestLake);
beforeEach(async () => {
  await lake.duckdb.makeScratch();
});

const at = (name: string) => join(lake.duckdb.scratchDirectory, name);

/** Rows with every type of the lake, nulls, texts that repeat and texts that don't. */
const rows = (from: number, to: number, link = "n // 3000") => `
  select ('link-' || (${link})::varchar)::varchar as link_id, n::bigint as sequence,
    case when n % 7 = 0 then null else date '2025-01-01' + (n % 60)::int end as "date",
    ('t' || hash(n)::varchar)::varchar as transaction_id, (n / 3)::decimal(28,10) as amount,
    timestamptz '2026-01-01 00:00:00Z' + to_seconds(n) as at, n % 2 = 0 as pending,
    case when n % 5 = 0 then null else ['café', 'b', 'c'][n % 3 + 1] end as name
  from range(${from}, ${to}) as r(n)`;

/** Writes a file of several row groups. */
async function write(sql: SqlSession, name: string, query: string, bloom = true): Promise<string> {
  const cut = bloom ? "" : ", write_bloom_filter false";
  await writeFiles(sql, query, sqlText(at(name)), { rowGroupSize: 4_096, cut });
  return at(name);
}

async function footer(path: string) {
  const found = await readParquetFooter(path);
  if (found === undefined) throw new Error(`${path} has no footer of ours`);
  return found;
}

test.each([true, false])(
  "row groups of several files make one with the same rows (Bloom filters: %s)",
  async (bloom) => {
    await lake.duckdb.exclusive(async (sql) => {
      const one = await footer(await write(sql, "one.parquet", rows(0, 20_000), bloom));
      const two = await footer(await write(sql, "two.parquet", rows(20_000, 30_000), bloom));
      expect(one.groups.length).toBeGreaterThan(3);
      const taken = [...two.groups, ...one.groups.filter((_, n) => n % 2 === 0)];
      const written = await writeRowGroups(taken, one, at("all.parquet"));
      const of = one.groups.map((group) => group.rows);
      const begins = of.map((_, n) => of.slice(0, n).reduce((sum, count) => sum + count, 0));
      const even = begins.flatMap((from, n) => (n % 2 === 0 ? [rows(from, from + (of[n] ?? 0))] : []));
      const expected = [rows(20_000, 30_000), ...even].join(" union all ");
      const [counts] = await sql.rows(`select count(*) as n from ${parquetFiles([at("all.parquet")])}`);
      expect(Number(counts?.n)).toBe(written.rows);
      const differing = `(from ${parquetFiles([at("all.parquet")])} except all (${expected}))
      union all ((${expected}) except all from ${parquetFiles([at("all.parquet")])})`;
      expect(await sql.rows(`select count(*)::integer as n from (${differing})`)).toEqual([{ n: 0 }]);
      // What only looks at statistics, or at some row groups, sees the same.
      expect(
        await sql.rows(
          `select count(*)::integer as n from ${parquetFiles([at("all.parquet")])} where sequence = 25000`,
        ),
      ).toEqual([{ n: 1 }]);
      const again = await footer(at("all.parquet"));
      expect(again.groups.map((group) => group.rows)).toEqual(taken.map((group) => group.rows));
      expect(again.schema.equals(one.schema)).toBe(true);
    });
  },
);

test("hyparquet reads the same rows in a file of copied row groups", async () => {
  await lake.duckdb.exclusive(async (sql) => {
    const { groups, ...like } = await footer(await write(sql, "one.parquet", rows(0, 9_000)));
    await writeRowGroups([...groups].reverse(), { groups, ...like }, at("all.parquet"));
    const bytes = await readFile(at("all.parquet"));
    const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
    const read = await parquetReadObjects({ file, compressors, columns: ["link_id", "sequence", "name"] });
    const sorted = read.sort((a, b) => Number(a.sequence) - Number(b.sequence));
    expect(sorted).toEqual(
      await sql.rows(`select link_id, sequence, name from (${rows(0, 9_000)}) order by sequence`),
    );
  });
});

describe("the statistics of row groups", () => {
  test("are those that the writer of the whole file gives", async () => {
    await lake.duckdb.exclusive(async (sql) => {
      const query = rows(0, 20_000);
      const [written] = await writeFiles(sql, query, sqlText(at("one.parquet")), { rowGroupSize: 4_096 });
      const { groups } = await footer(at("one.parquet"));
      expect(factsOfGroups(groups)).toEqual({ rows: 20_000, stats: written?.stats });
    });
  });

  test.each([
    ["days before 1970", `select 'a' as link_id, date '1900-02-28' as "date", -5::bigint as sequence`],
    [
      "the first day and the last",
      `select 'a' as link_id, unnest([date '0001-01-01', date '9999-12-31']) as "date", 1::bigint as sequence`,
    ],
    ["nothing but nulls", `select null::varchar as link_id, null::date as "date", null::bigint as sequence`],
    [
      "texts in the order of their UTF-8 bytes",
      `select unnest(['\u{1F600}', '\uFF5E']) as link_id, null::date as "date", 7::bigint as sequence`,
    ],
    [
      "a text that is too long for a bound",
      `select repeat('é', 128) as link_id, date '2026-01-01' as "date", 7::bigint as sequence`,
    ],
    [
      "a text of 1,000 bytes",
      `select repeat('x', 1000) as link_id, date '2026-01-01' as "date", 7::bigint as sequence`,
    ],
  ])("agree with the writer's for %s", async (_, query) => {
    await lake.duckdb.exclusive(async (sql) => {
      const [written] = await writeFiles(sql, query, sqlText(at("one.parquet")), { rowGroupSize: 4_096 });
      const { groups } = await footer(at("one.parquet"));
      expect(factsOfGroups(groups).stats).toBe(written?.stats);
    });
  });
});

test("a footer of more than the first read is read whole", async () => {
  await lake.duckdb.exclusive(async (sql) => {
    const path = await write(sql, "one.parquet", rows(0, 400_000));
    const { groups, bytes } = await footer(path);
    expect(bytes.length).toBeGreaterThan(64 * 1024 - 8);
    expect(groups.reduce((sum, group) => sum + group.rows, 0)).toBe(400_000);
  });
});

test("what is not a Parquet file, or an encrypted one, has no row groups to be copied", async () => {
  await lake.duckdb.exclusive(async (sql) => {
    await sql.run(`copy (select 1 as a) to ${sqlText(at("one.csv"))} (format csv)`);
    await sql.run("set force_mbedtls_unsafe = 'true'");
    await sql.run("pragma add_parquet_key('key', '0123456789112345')");
    await sql.run(
      `copy (${rows(0, 10)}) to ${sqlText(at("secret.parquet"))} (format parquet, encryption_config {footer_key: 'key'})`,
    );
  });
  expect(await readParquetFooter(at("one.csv"))).toBeUndefined();
  expect(await readParquetFooter(at("secret.parquet"))).toBeUndefined();
});
