import { afterEach, beforeEach, expect, test } from "vitest";
import { transactionRow } from "../../../sandbox/world/records.js";
import { reconcileJob } from "../../../src/jobs/reconcile.js";
import { type BulkWorld, openBulkWorld } from "../../helpers/bulk/bulk-harness.js";
import { sharedTemporal } from "../../helpers/temporal/shared-temporal.js";

let world: BulkWorld;
beforeEach(async () => {
  const users = { kind: "synthetic", users: 3, linksPerUser: 2, accountsPerLink: 2, rows: 150 } as const;
  world = await openBulkWorld(sharedTemporal(), reconcileJob, {
    sandbox: { population: users },
    direct: true,
  });
});
afterEach(() => world.close());

const roster = () => [...world.sandbox.world.users.keys()].map((fp_id) => ({ fp_id }));
const rows = (where = "true") =>
  world.rows(`select fp_id, link_id, account_id, status, reason, lake_rows::int as lake, service_rows::int as service,
    missing_in_lake, missing_at_service, lake_sum::varchar as lake_sum, service_sum::varchar as service_sum,
    difference::varchar as difference from reconciliations where ${where} order by all`);

/** The rows and sums of each account, as the stand-in knows them. */
const truth = () => new Map(world.sandbox.totals().map((total) => [total.account_id, total]));

test("each account of a synced lake is equal, with the rows and the sum that the service has", async () => {
  await world.sync();
  const result = await world.run(roster());
  const found = await rows("service_rows > 0");
  const open = found.filter(({ status }) => status === "equal");
  expect(open.length).toBeGreaterThan(5);
  for (const { account_id, lake, service, lake_sum } of open) {
    const total = truth().get(String(account_id));
    expect([lake, service, lake_sum]).toEqual([total?.rows, total?.rows, total?.signed_amount]);
  }
  expect(found.filter(({ status }) => status === "differs")).toEqual([]);
  expect(result).toMatchObject({ status: "completed", counts: { differs: 0 } });
});

test("a row that only one side has differs, by its id and its amount", async () => {
  await world.sync();
  const [link] = world.sandbox.links();
  const id = link?.id ?? "";
  const first = [...world.sandbox.truthRows(id)].find(({ values }) => values?.amount !== "0");
  const account = String(first?.values?.account_id);
  const before = truth().get(account);
  world.sandbox.unlist(id, [first?.transaction_id ?? ""]);
  world.sandbox.listOnly(id, [
    transactionRow({ transaction_id: "new_1", account_id: account, amount: "0.0000000001", type: "credit" }),
    transactionRow({ transaction_id: "new_2", account_id: account, amount: "1.5" }),
  ]);
  const result = await world.run(roster());
  expect(result).toMatchObject({ status: "completed_with_failures", counts: { differs: 1 } });
  expect(await rows("status = 'differs'")).toMatchObject([
    {
      ...{
        link_id: id,
        account_id: account,
        reason: null,
        lake: before?.rows,
        service: (before?.rows ?? 0) + 1,
      },
      ...{
        missing_in_lake: '["new_1","new_2"]',
        missing_at_service: JSON.stringify([first?.transaction_id]),
      },
      lake_sum: before?.signed_amount,
    },
  ]);
});
