import { existsSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { createDuckDb, type DuckDb } from "../../../src/lake/sql/duckdb.js";
import { sqlList, sqlName, sqlText } from "../../../src/lake/sql/duckdb-sql.js";
import { eachTest } from "../../helpers/each-test.js";
import { openTestLake } from "../../helpers/lake/delta-lake.js";

const lake = eachTest(openTestLake);
let duckdb: DuckDb;
beforeEach(async () => {
  duckdb = lake.duckdb;
});

describe("exclusive sections", () => {
  test("run one at a time, in the order they were asked for, also after one that failed", async () => {
    const events: string[] = [];
    const section = (name: string, failing = false) =>
      duckdb.exclusive(async (sql) => {
        events.push(`${name} starts`);
        await sql.rows("select count(*) from range(100000)");
        events.push(`${name} ends`);
        if (failing) throw new Error("broken load");
      });
    const outcomes = await Promise.allSettled([section("a"), section("b", true), section("c")]);
    expect(outcomes.map((outcome) => outcome.status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(events).toEqual(["a", "b", "c"].flatMap((name) => [`${name} starts`, `${name} ends`]));
  });

  test("asked for from within run at once and see the same temp tables, which go with the section", async () => {
    const inner = await duckdb.exclusive(async (sql) => {
      await sql.run("create temp table t as select 1 as one");
      return duckdb.exclusive((same) => same.rows("select one from t"));
    });
    expect(inner).toEqual([{ one: 1 }]);
    await expect(duckdb.exclusive((sql) => sql.rows("select one from t"))).rejects.toThrow("does not exist");
  });
});

test("the engine opens at its first use, and opens again after it was closed", async () => {
  const scratch = join(lake.directory, "engine");
  const engine = createDuckDb({ scratchDirectory: scratch });
  expect(existsSync(scratch)).toBe(false);
  await engine.close();
  for (let use = 0; use < 2; use += 1) {
    expect(await engine.exclusive((sql) => sql.rows("select 1 as one"))).toEqual([{ one: 1 }]);
    await engine.close();
  }
});

test("memory is bounded, instants are UTC, and no extension is fetched", async () => {
  const settings = await duckdb.exclusive((sql) =>
    sql.rows(`select current_setting('TimeZone') as zone, current_setting('memory_limit') as memory,
      current_setting('preserve_insertion_order') as ordered,
      current_setting('autoinstall_known_extensions') or current_setting('autoload_known_extensions') as fetched`),
  );
  expect(settings).toEqual([{ zone: "UTC", memory: "488.2 MiB", ordered: false, fetched: false }]);
});

test("values are exact: no decimal, big number or instant goes through a float", async () => {
  const rows = await duckdb.exclusive((sql) =>
    sql.rows(
      `select ?::decimal(28,10) as d, 9007199254740993::bigint as b, sum(9007199254740993) as h,
        timestamptz '2026-01-02 03:04:05.000001+02' as t, date '2026-01-02' as day, null as n, ? as text`,
      ["-123456789012345678.1234567890", "it's"],
    ),
  );
  expect(rows).toEqual([
    {
      d: "-123456789012345678.1234567890",
      b: 9007199254740993n,
      h: 9007199254740993n,
      t: "2026-01-02T01:04:05.000001Z",
      day: "2026-01-02",
      n: null,
      text: "it's",
    },
  ]);
});

test("run answers how many rows were written", async () => {
  const target = join(duckdb.scratchDirectory, "n.parquet");
  const copy = `copy (from range(7)) to ${sqlText(target)} (format parquet)`;
  expect(await duckdb.exclusive((sql) => sql.run(copy))).toBe(7);
});

test("quoted text, names and lists stay what they are", async () => {
  const name = 'a "b" c';
  const text = "it's; drop -- \\";
  const sql = `select ${sqlText(text)} as ${sqlName(name)}, ${sqlList([text, "x"])} as l`;
  expect(await duckdb.exclusive((session) => session.rows(sql))).toEqual([{ [name]: text, l: [text, "x"] }]);
});
