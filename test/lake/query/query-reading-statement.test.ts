import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openTable } from "../../../src/lake/delta/delta-table.js";
import { type LakeQuery, openQuery } from "../../../src/lake/query/query.js";
import { addRows, createTable, FEED, openTestLake, type TestLake } from "../../helpers/lake/delta-lake.js";
import {
  GOOD_STATEMENTS,
  hostileStatements,
  idleStatements,
  type Targets,
} from "../../helpers/lake/hostile-statements.js";

const PLANTED = "PLANTED-8c1f";
/** The names of the tests must be there before the lake is. */
const NAMES: Targets = { keys: "<keys>", out: "<out>", data: "<data>", staged: "<staged>", http: "<http>" };

let lake: TestLake;
let query: LakeQuery;
let targets: Targets;
let server: Server;
let requests = 0;

beforeAll(async () => {
  lake = await openTestLake();
  const scratchDirectory = join(lake.directory, "..", "query-scratch");
  query = openQuery(lake.store, { scratchDirectory });
  const table = openTable(lake.store, "feed", lake.duckdb);
  await createTable(table, FEED);
  const add = await addRows(lake, "feed", "('a', 1, 1.5, '2026-01-02', null, true, 3)");
  await table.commit(() => [{ add }]);
  const out = join(lake.directory, "..", "out");
  await mkdir(out);
  const keys = join(lake.directory, "..", "keys");
  await writeFile(keys, `id:${PLANTED}\n`);
  await writeFile(`${keys}.csv`, `a\n${PLANTED}\n`);
  await lake.store.put("_staging/run/roster.json", PLANTED);
  server = createServer((_, response) => {
    requests += 1;
    response.end(PLANTED);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const http = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const staged = join(lake.directory, "_staging/run/roster.json");
  targets = { keys, out, data: join(lake.directory, "feed", add.path), staged, http };
});
afterAll(async () => {
  server.close();
  await query.close();
  await lake.release();
});

/** Names and contents of everything that no statement may change. */
async function fingerprint(): Promise<string[]> {
  const root = join(lake.directory, "..");
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const kept = files.filter((path) => !/scratch/.test(path)).sort();
  const hashes = kept.map(async (path) =>
    createHash("sha256")
      .update(await readFile(path))
      .digest("hex"),
  );
  return (await Promise.all(hashes)).map((hash, at) => `${kept[at]} ${hash}`);
}

async function rowsOf(sql: string): Promise<unknown[]> {
  const rows: unknown[] = [];
  for await (const batch of query.query(sql, { isForeign: true })) rows.push(...batch);
  return rows;
}

describe("a statement that is after something else than the tables", () => {
  test.each(hostileStatements(NAMES).map((sql, at) => [at, sql] as const))("%i: %s", async (at) => {
    const sql = hostileStatements(targets)[at]!;
    const before = await fingerprint();
    const failure = await rowsOf(sql).then(
      (rows) => `answered: ${JSON.stringify(rows)}`,
      (error: Error) => error,
    );
    expect(failure).toMatchObject({ name: "InputError" });
    expect((failure as Error).message).not.toContain(PLANTED);
    expect(await fingerprint()).toEqual(before);
    expect(requests).toBe(0);
  });
});

describe("a statement that may be answered changes and tells nothing", () => {
  test.each(idleStatements(NAMES).map((sql, at) => [at, sql] as const))("%i: %s", async (at) => {
    const before = await fingerprint();
    expect(JSON.stringify(await rowsOf(idleStatements(targets)[at]!))).not.toContain(PLANTED);
    expect(await fingerprint()).toEqual(before);
    // The next query has an engine of its own, and is not touched by it.
    expect(await rowsOf("select count(*) as n from feed")).toEqual([{ n: 1 }]);
  });
});

test.each(GOOD_STATEMENTS)("%s works", async (sql) => {
  expect((await rowsOf(sql)).length).toBeGreaterThan(0);
});

test("at least sixty hostile statements are tried", () => {
  expect(new Set(hostileStatements(NAMES)).size).toBeGreaterThanOrEqual(60);
});

test("a query that needs more memory than it has spills, and leaves nothing", async () => {
  const small = openQuery(lake.store, {
    scratchDirectory: join(lake.directory, "..", "scratch-small"),
    memoryLimitMb: 64,
  });
  let rows = 0;
  const sql =
    "select range as n, hash(range)::varchar || repeat('x', 60) as t from range(2000000) order by t";
  for await (const batch of small.query(sql)) rows += batch.length;
  expect(rows).toBe(2_000_000);
  await small.close();
});
