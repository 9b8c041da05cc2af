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

/** As the fault is of one business, each of these is of another. */
const nth = (at: number) => `fp_bid_${String(at + 1).padStart(5, "0")}`;

test("answers that are wrong once, each in its way: the same rows as without", async () => {
  const faults = [
    { ...insights, kind: "status", status: 500 },
    { ...insights, kind: "truncated", mode: "body" },
    { ...list, kind: "truncated", mode: "chunked" },
    { ...list, kind: "page_repeated", page: 1 },
    { ...list, kind: "list_moves", how: "insert", page: 1 },
  ] as const;
  for (const [at, fault] of faults.entries()) {
    world.sandbox.addFault({ ...fault, business: nth(at), times: 1 });
  }
  const result = await world.run(file(), {});
  expect(result).toMatchObject({ status: "completed", rows: { total: BUSINESSES, failed: 0 } });
  expect(world.sandbox.faults().map(({ fired }) => fired)).toEqual(faults.map(() => 1));
  const found = await tables(result.run_id);
  const expected = expectedKybRows(world.sandbox, result.run_id);
  for (const { name } of KYB_TABLES) expect(found[name], name).toEqual(expected[name]);
});

test("answers that stay wrong fail their business, the others are exported, and a retry asks for those alone", async () => {
  const json = { kind: "wrong_body", status: 200, contentType: "application/json" } as const;
  const slashed = '{"data":[{"id":"a/b","playbook_key":"p","status":"pass","timestamp":"t"}]}';
  const wrong = [
    [{ ...insights, ...json, body: '{"names":1}' }, "schema addresses: not a list"],
    [{ ...insights, kind: "status", status: 400 }, "refused http_400"],
    [{ ...list, kind: "next_page_loop" }, "schema meta.next_page: expected a page that wasn't read yet"],
    [{ ...list, ...json, body: slashed }, "schema data.id: expected an id without slashes"],
    [
      { ...list, kind: "page_repeated", page: 1 },
      "schema data: expected a list that stays as it is while it is read",
    ],
    [{ ...list, kind: "status", status: 404 }, "not_found"],
  ] as const;
  const ids = wrong.map(([fault], at) => world.sandbox.addFault({ ...fault, business: nth(at) }));
  const failed = await world.run(file(), {});
  expect(failed).toMatchObject({
    status: "completed_with_failures",
    rows: { total: BUSINESSES, failed: wrong.length },
  });
  const byLine = [...failed.failures].sort((one, other) => one.line - other.line);
  expect(byLine).toMatchObject(wrong.map(([, reason], at) => ({ line: at + 1, owner: nth(at), reason })));
  const rows = async (runId: string) => {
    const sql = `select distinct fp_bid from business_insights where run_id = '${runId}' order by 1`;
    return (await world.rows(sql)).map(({ fp_bid }) => fp_bid);
  };
  const names = wrong.map((_, at) => nth(at));
  expect((await rows(failed.run_id)).filter((name) => names.includes(String(name)))).toEqual([]);
  for (const id of ids) world.sandbox.removeFault(id);
  const retried = await world.retry(failed.run_id);
  expect(retried).toMatchObject({ status: "completed", rows: { total: wrong.length, failed: 0 } });
  expect(await rows(retried.run_id)).toEqual(names);
});

test("a refusal of one onboarding's insights fails its business, and what was read is in the tables", async () => {
  const whole = expectedKybRows(world.sandbox, "").business_insights ?? [];
  const readable = world.sandbox.businesses.list().filter(({ id }) => {
    return whole.filter((row) => row.includes(id) && row.includes('"found"')).length > 1;
  });
  const [own] = readable.map(({ id }) => id);
  if (own === undefined) throw new Error("no business has two insights");
  world.sandbox.addFault({ ...insights, kind: "status", status: 422, business: own, times: 1 });
  const partly = await world.run(file(), {});
  expect(partly).toMatchObject({ status: "completed_with_failures", rows: { failed: 1 }, failures_total: 1 });
  expect(partly.failures).toMatchObject([{ owner: own, reason: "refused http_422" }]);
  const states = async (runId: string) => {
    const sql = `select insights from business_insights where run_id = '${runId}' and fp_bid = '${own}'`;
    return (await world.rows(sql)).map(({ insights }) => String(insights)).sort();
  };
  const found = await states(partly.run_id);
  expect(found).toEqual(expect.arrayContaining(["found", "refused"]));
  const retried = await world.retry(partly.run_id);
  expect(retried).toMatchObject({ status: "completed", rows: { total: 1, done: 1 } });
  expect(await states(retried.run_id)).toHaveLength(found.length);
  expect(await states(retried.run_id)).not.toContain("refused");
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
