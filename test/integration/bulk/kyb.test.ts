import { afterEach, beforeEach, expect, test } from "vitest";
import { kybJob } from "../../../src/jobs/kyb.js";
import { KYB_TABLES } from "../../../src/lake/tables/kyb.js";
import { type BulkWorld, openBulkWorld } from "../../helpers/bulk/bulk-harness.js";
import { expectedKybRows, readKybRows } from "../../helpers/bulk/kyb-truth.js";
import { sharedTemporal } from "../../helpers/temporal/shared-temporal.js";

const BUSINESSES = 25;

let world: BulkWorld;
beforeEach(async () => {
  // Frozen: a pending onboarding would be decided after a while.
  const sandbox = { businesses: BUSINESSES, businessOnboardings: 3, clock: { frozen: true } };
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

test("every field of every onboarding, row by row as the service has it", async () => {
  const result = await world.run(file(), {});
  expect(result).toMatchObject({ status: "completed", rows: { total: BUSINESSES, failed: 0 } });
  const found = await tables(result.run_id);
  const expected = expectedKybRows(world.sandbox, result.run_id);
  for (const { name } of KYB_TABLES) {
    expect(expected[name]?.length, name).toBeGreaterThan(0);
    expect(found[name], name).toEqual(expected[name]);
  }
});
