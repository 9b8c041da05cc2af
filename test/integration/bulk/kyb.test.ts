import { afterEach, beforeEach, expect, test } from "vitest";
import { kybJob } from "../../../src/jobs/kyb.js";
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

const insights = { operation: "get_business_insights" } as const;
const list = { operation: "list_business_onboardings" } as const;
/** As a fault is of one business, each of these is of another. */
const nth = (at: number) => `fp_bid_${String(at + 1).padStart(5, "0")}`;

test("every field of every onboarding, row by row as the service has it, though answers are wrong once", async () => {
  const faults = [
    { ...insights, kind: "status", status: 500 },
    { ...list, kind: "truncated", mode: "chunked" },
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
  for (const { name } of KYB_TABLES) {
    expect(expected[name]?.length, name).toBeGreaterThan(0);
    expect(found[name], name).toEqual(expected[name]);
  }
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
