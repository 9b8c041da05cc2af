import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { kybJob } from "../../../src/jobs/kyb.js";
import { createDuckDb } from "../../../src/lake/sql/duckdb.js";
import { parquetFiles } from "../../../src/lake/sql/duckdb-files.js";
import { temporaryScratch } from "../../../src/lake/sql/scratch.js";
import { openColumn } from "../../../src/lake/tables/encrypted-column.js";
import { KYB_TABLES } from "../../../src/lake/tables/kyb.js";
import { type BulkWorld, openBulkWorld } from "../../helpers/bulk/bulk-harness.js";
import { expectedKybRows, readKybRows } from "../../helpers/bulk/kyb-truth.js";
import { sharedTemporal } from "../../helpers/temporal/shared-temporal.js";

const BUSINESSES = 25;

let world: BulkWorld;
beforeEach(async () => {
  const sandbox = {
    businesses: BUSINESSES,
    businessOnboardings: 3,
    onboardingPages: { size: 2, maximum: 2, first: 1 },
    // A pending onboarding would be decided after a while.
    clock: { frozen: true },
  } as const;
  world = await openBulkWorld(sharedTemporal(), kybJob, { sandbox, direct: true });
});
afterEach(() => world.close());

const file = () =>
  world.sandbox.businesses.list().map(({ id, external_id }) => ({ fp_bid: id, external_id }));
const tables = async (runId: string) => {
  const read = KYB_TABLES.map(async ({ name }) => {
    const rows = await world.rows(`select * from ${name} where run_id = '${runId}'`);
    return [name, readKybRows(world.sealed.sealer, name, rows)] as const;
  });
  return Object.fromEntries(await Promise.all(read));
};

/** The rows of a table as DuckDB reads its files, without the lake's log and its views. */
async function withoutLog(table: string) {
  const directory = join(world.lake, table);
  const files = (await readdir(directory)).filter((name) => name.endsWith(".parquet"));
  const duckdb = createDuckDb({ scratchDirectory: await temporaryScratch() });
  try {
    const from = parquetFiles(files.map((name) => join(directory, name)));
    const columns = "* replace (watchlist_hit_count::int as watchlist_hit_count)";
    const dated = "strftime(created_at, '%Y-%m-%dT%H:%M:%S.%fZ') as created_at";
    const select = table === "business_insights" ? columns.replace(")", `, ${dated})`) : "*";
    const rows = await duckdb.exclusive((sql) => sql.few(`select ${select} from ${from}`));
    return readKybRows(world.sealed.sealer, table, rows);
  } finally {
    await duckdb.close();
  }
}

test("every field of every onboarding, row by row as the service has it", async () => {
  const result = await world.run(file(), {});
  expect(result).toMatchObject({ status: "completed", rows: { total: BUSINESSES, failed: 0 } });
  const found = await tables(result.run_id);
  const expected = expectedKybRows(world.sandbox, result.run_id);
  for (const { name } of KYB_TABLES) {
    expect(expected[name]?.length, name).toBeGreaterThan(0);
    expect(found[name], name).toEqual(expected[name]);
    expect(await withoutLog(name), name).toEqual(expected[name]);
  }
});

const FIRST = "fp_bid_00001";
const insights = { operation: "get_business_insights", business: FIRST } as const;
const list = { operation: "list_business_onboardings", business: FIRST } as const;

test.each([
  ["500", { ...insights, kind: "status", status: 500 }],
  ["JSON cut short", { ...insights, kind: "truncated", mode: "body" }],
  ["a torn list", { ...list, kind: "truncated", mode: "chunked" }],
  ["a page that is there twice", { ...list, kind: "page_repeated", page: 1 }],
  ["a list that moves", { ...list, kind: "list_moves", how: "insert", page: 1 }],
] as const)("%s, once: the same rows as without", async (_, fault) => {
  world.sandbox.addFault({ ...fault, times: 1 });
  const result = await world.run(file().slice(0, 3), {});
  expect(result).toMatchObject({ status: "completed", rows: { total: 3, failed: 0 } });
  const found = await tables(result.run_id);
  const expected = expectedKybRows(world.sandbox, result.run_id);
  const three = (rows: readonly string[] | undefined) =>
    rows?.filter((row) => /fp_bid_0000[123]\b/.test(row)) ?? [];
  for (const { name } of KYB_TABLES) expect(found[name], name).toEqual(three(expected[name]));
});

test.each([
  [
    "another shape",
    { ...insights, kind: "wrong_body", status: 200, contentType: "application/json", body: '{"names":1}' },
    "schema addresses: not a list",
  ],
  ["a refusal", { ...insights, kind: "status", status: 400 }, "refused http_400"],
  [
    "a list that leads to itself",
    { ...list, kind: "next_page_loop" },
    "schema meta.next_page: expected a page that wasn't read yet",
  ],
  [
    "an id that no address can hold",
    {
      ...list,
      kind: "wrong_body",
      status: 200,
      contentType: "application/json",
      body: '{"data":[{"id":"a/b","playbook_key":"p","status":"pass","timestamp":"t"}]}',
    },
    "schema data.id: expected an id without slashes",
  ],
  [
    "a list that moves under every reading",
    { ...list, kind: "page_repeated", page: 1 },
    "schema data: expected a list that stays as it is while it is read",
  ],
  ["no such business", { ...list, kind: "status", status: 404 }, "not_found"],
] as const)(
  "%s: the business has failed, the others are exported, and a retry asks for it alone",
  async (_, fault, reason) => {
    const id = world.sandbox.addFault(fault);
    const failed = await world.run(file(), {});
    expect(failed).toMatchObject({
      status: "completed_with_failures",
      rows: { total: BUSINESSES, failed: 1 },
    });
    expect(failed.failures).toMatchObject([{ line: 1, owner: FIRST, reason }]);
    const rows = (runId: string) =>
      world.rows(`select distinct fp_bid from business_insights where run_id = '${runId}' order by 1`);
    expect((await rows(failed.run_id)).map(({ fp_bid }) => fp_bid)).not.toContain(FIRST);
    world.sandbox.removeFault(id);
    const retried = await world.retry(failed.run_id);
    expect(retried).toMatchObject({ status: "completed", rows: { total: 1, failed: 0 } });
    expect(await rows(retried.run_id)).toEqual([{ fp_bid: FIRST }]);
  },
);

test("a refused key stops the run", async () => {
  world.sandbox.addFault({ kind: "status", status: 401, operation: "get_business_insights", nth: 5 });
  expect(await world.run(file(), {})).toMatchObject({ status: "failed", unauthorized: true });
});

test("no insights is no failure: counted as skipped, and said of each onboarding", async () => {
  world.sandbox.addFault({ ...insights, kind: "status", status: 404 });
  world.sandbox.businesses.add({ fp_bid: "fp_bid_new" });
  const result = await world.run([{ fp_bid: FIRST }, { fp_bid: "fp_bid_new" }], {});
  expect(result).toMatchObject({ status: "completed", rows: { total: 2, done: 0, skipped: 2, failed: 0 } });
  const rows = await world.rows("select fp_bid, insights, asked_at from business_insights");
  const ended = world.sandbox.onboardings.of(FIRST);
  expect(rows).toHaveLength(ended.length + 1);
  for (const row of rows) expect(row).toMatchObject({ asked_at: null });
  expect(rows).toContainEqual({ fp_bid: FIRST, insights: "none", asked_at: null });
  expect(rows).toContainEqual({ fp_bid: "fp_bid_new", insights: "no_onboarding", asked_at: null });
});

test("numbers of a scripted answer keep every digit", async () => {
  const [onboarding] = world.sandbox.onboardings.of(FIRST);
  const body = `{"addresses":[{"latitude":37.7749000000000000017,"longitude":-122.50}],"names":[],"people":[],"registrations":[]}`;
  world.sandbox.addFault({
    ...insights,
    kind: "wrong_body",
    status: 200,
    contentType: "application/json",
    body,
  });
  const result = await world.run([{ fp_bid: FIRST }], {});
  const [address] = await world.rows(
    `select latitude, longitude from business_addresses where onboarding_id = '${onboarding?.id}'`,
  );
  const open = (name: string) =>
    openColumn(world.sealed.sealer, "business_addresses", name, String(address?.[name]));
  expect(result.rows.done).toBe(1);
  expect([open("latitude"), open("longitude")]).toEqual(["37.7749000000000000017", "-122.50"]);
});
