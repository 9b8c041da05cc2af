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

test("a row that only one side has differs, by its id and its amount; other accounts are equal", async () => {
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
  const equal = await rows("status = 'equal' and service_rows > 0");
  expect(equal.length).toBeGreaterThan(5);
  for (const { account_id, lake, service, lake_sum } of equal) {
    const total = truth().get(String(account_id));
    expect([lake, service, lake_sum]).toEqual([total?.rows, total?.rows, total?.signed_amount]);
  }
  expect(await rows("status = 'differs'")).toMatchObject([
    {
      ...{
        link_id: id,
        account_id: account,
        reason: "replaced_pending 1",
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

const balances = () =>
  world.rows(`select account_id, balance_status, balance_reason, balance_change::varchar as change,
    posted_sum::varchar as posted, balance_difference::varchar as difference
    from reconciliations where link_id = 'l' order by account_id, reconciled_at`);

test("a balance changes by what was posted between its last two observations", async () => {
  const { sandbox } = world;
  const balance = (account: string, current: string) =>
    sandbox.setAccount("l", account, { balances: { current, currency: "USD" } });
  const row = (transaction_id: string, account_id: string, amount: string, pending: boolean) =>
    transactionRow({ transaction_id, account_id, amount, type: "credit", pending });
  const fields = { balances: { current: "100.00", currency: "USD" } };
  sandbox.addLink({ fp_id: "u", id: "l", accounts: ["a", "b", "c"].map((id) => ({ id, fields })) });
  sandbox.append("l", [
    { change: "created", row: row("t1", "a", "1.00", false) },
    { change: "created", row: row("t2", "a", "5.00", true) },
    { change: "created", row: row("t3", "b", "7.00", false) },
  ]);
  await world.sync({ users: ["u"] });
  balance("a", "105.0000000001");
  balance("b", "94");
  sandbox.append("l", [
    { change: "updated", row: row("t2", "a", "5.0000000001", false) },
    { change: "created", row: row("t4", "a", "50", true) },
    { change: "removed", id: "t3" },
  ]);
  await world.sync({ users: ["u"] });
  const result = await world.run([{ fp_id: "u" }]);
  expect(await balances()).toEqual([
    {
      ...{ account_id: "a", balance_status: "equal", balance_reason: null },
      ...{ change: "5.0000000001", posted: "5.0000000001", difference: "0.0000000000" },
    },
    {
      ...{ account_id: "b", balance_status: "differs", balance_reason: null },
      ...{ change: "-6.0000000000", posted: "-7.0000000000", difference: "1.0000000000" },
    },
    {
      ...{ account_id: "c", balance_status: "unknown", balance_reason: "one_observation" },
      ...{ change: null, posted: null, difference: null },
    },
  ]);
  expect(result).toMatchObject({
    status: "completed_with_failures",
    counts: { equal: 2, differs: 1, unknown: 0 },
  });
});

test("what came since the sync, and what can't be read, is unknown", async () => {
  const { sandbox } = world;
  for (const id of ["moved", "expired", "gone", "new"]) {
    sandbox.addLink({ fp_id: "u", id, accounts: [{ id: `${id}-a` }] });
    sandbox.append(id, [
      { change: "created", row: transactionRow({ transaction_id: `${id}-1`, account_id: `${id}-a` }) },
    ]);
  }
  sandbox.addFault({ kind: "not_ready", link: "new" });
  await world.sync({ users: ["u"] });
  sandbox.append("moved", [
    { change: "created", row: transactionRow({ transaction_id: "moved-2", account_id: "moved-a" }) },
  ]);
  sandbox.setLink("expired", { state: "error", error_code: "auth_expired" });
  await world.sync({ users: ["u"], links: ["expired"] });
  sandbox.removeLink("gone");
  const result = await world.run([{ fp_id: "u" }, { fp_id: "fp_nobody" }]);
  const found = await rows("fp_id in ('u', 'fp_nobody')");
  expect(found.map(({ link_id, status, reason }) => `${link_id} ${status} ${reason}`).sort()).toEqual([
    "expired unknown state error auth_expired",
    "gone unknown link_gone",
    "moved unknown moved_since_sync",
    "new unknown never_synced",
    "null unknown not_found",
  ]);
  expect(result).toMatchObject({ counts: { equal: 0, differs: 0, unknown: 5 }, rows: { failed: 1 } });
});

test("--rows compares what rows say; days bound what is compared", async () => {
  const { sandbox } = world;
  sandbox.addLink({ fp_id: "u", id: "l", accounts: [{ id: "a" }] });
  const row = (id: string, date: string, amount = "1.00") =>
    transactionRow({ transaction_id: id, account_id: "a", date, amount });
  sandbox.append("l", [
    { change: "created", row: row("t1", "2026-11-01") },
    { change: "created", row: row("t2", "2026-11-02") },
  ]);
  await world.sync({ users: ["u"] });
  sandbox.unlist("l", ["t1"]);
  sandbox.listOnly("l", [row("t1", "2026-11-01", "1.01")]);
  await world.run([{ fp_id: "u" }]);
  await world.run([{ fp_id: "u" }], { rows: true });
  await world.run([{ fp_id: "u" }], { rows: true, from: "2026-11-02" });
  const found =
    await world.rows(`select status, lake_rows::int as n, changed, difference::varchar as difference,
    date_from::varchar as first from reconciliations order by reconciled_at`);
  expect(found).toEqual([
    { status: "equal", n: 2, changed: null, difference: null, first: null },
    { status: "differs", n: 2, changed: '["t1"]', difference: "-0.0100000000", first: null },
    { status: "equal", n: 1, changed: "[]", difference: "0.0000000000", first: "2026-11-02" },
  ]);
});

test("a list that moves under every reading is unknown; one that moves once is read again", async () => {
  const { sandbox } = world;
  sandbox.addLink({ fp_id: "u", id: "l", accounts: [{ id: "acc_1" }] });
  const events = Array.from({ length: 150 }, (_, at) => ({
    change: "created" as const,
    row: transactionRow({ transaction_id: `t${at}`, pending: at === 5 }),
  }));
  sandbox.append("l", events);
  await world.sync({ users: ["u"] });
  sandbox.unlist("l", ["t5"]);
  sandbox.addFault({ operation: "list_user_transactions", kind: "page_repeated", page: 1, times: 1 });
  await world.run([{ fp_id: "u" }]);
  sandbox.addFault({ operation: "list_user_transactions", kind: "list_moves", how: "insert", page: 1 });
  await world.run([{ fp_id: "u" }], { rows: true });
  const found = await world.rows(
    "select status, reason, missing_at_service from reconciliations order by reconciled_at",
  );
  expect(found).toEqual([
    { status: "differs", reason: "replaced_pending 1", missing_at_service: '["t5"]' },
    { status: "unknown", reason: "list_moved", missing_at_service: null },
  ]);
});

test("bad rows that are open are named as what may explain a difference", async () => {
  const { sandbox } = world;
  sandbox.addLink({ fp_id: "u", id: "l", accounts: [{ id: "a" }] });
  const row = (transaction_id: string, amount: string) => ({
    change: "created" as const,
    row: transactionRow({ transaction_id, account_id: "a", amount }),
  });
  sandbox.append("l", [row("t1", "1.00"), row("t2", "1e3")]);
  await world.sync({ users: ["u"] });
  await world.run([{ fp_id: "u" }]);
  const found = await rows("true");
  expect(found).toMatchObject([
    { status: "differs", reason: "quarantined 1", missing_in_lake: '["t2"]', service_sum: null },
  ]);
});
