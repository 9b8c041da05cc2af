import { expect, test } from "vitest";
import { expectLakeEqualsTruth } from "../../helpers/lake/lake-truth.js";
import {
  addLink,
  addRows,
  created,
  feedOf,
  linkSync,
  removed,
  syncCalls,
} from "../../helpers/sync/scripted-links.js";
import { syncWorlds } from "../../helpers/sync/sync-worlds.js";

const worlds = syncWorlds();

test("one bad user, link or page never stops the others, and what can't be read is not asked about", async () => {
  const world = await worlds.open({
    sandbox: { population: { kind: "synthetic", users: 2, linksPerUser: 1, rows: 20, otherStates: true } },
  });
  const { sandbox } = world;
  for (const [id, state] of [
    ["odd", "archived"],
    ["quote", 'it\'s "odd"\n'],
    ["lone", "\ud800"],
    ["nul", "a\u0000b"],
  ] as const) {
    sandbox.addLink({ fp_id: "fp_1", id, fields: { state } });
  }
  for (const user of ["fp_1", "fp_2", "fp_3", "fp_4"]) addLink(world, `${user}-a`, 5, user);
  for (const link of ["looping", "wrong", "no-address"]) addLink(world, link, 5, "fp_1");
  sandbox.addLink({ fp_id: "fp_1", id: "blank", raw: '{"id":"","state":"connected"}' });
  sandbox.addLink({ fp_id: "fp_1", id: "slash", raw: '{"id":"../../users","state":"connected"}' });
  sandbox.addLink({ fp_id: "fp_1", id: "twice", raw: '{"id":"twice","id":"twice","state":"connected"}' });
  sandbox.addFault({ kind: "status", status: 404, user: "fp_2" });
  sandbox.addFault({ kind: "wrong_body", user: "fp_3", operation: "list_user_accounts", body: "[]" });
  sandbox.addFault({ kind: "status", status: 422, user: "fp_4", operation: "list_bank_links" });
  sandbox.addFault({ kind: "loop", link: "looping" });
  sandbox.addFault({ kind: "wrong_body", link: "wrong", body: '{"cursor":{},"has_more":"no"}' });
  const lists = '{"created":[],"updated":[],"removed":[]}';
  const body = `{"cursor":{"next":"\\ud800"},"has_more":true,"transactions":${lists}}`;
  sandbox.addFault({ kind: "wrong_body", link: "no-address", body });
  const users = [...sandbox.world.users.keys(), "fp_unknown"];
  const { runId, result } = await world.sync({ users });
  expect(result).toMatchObject({
    status: "completed_with_failures",
    users: { total: users.length, failed: 4 },
    links: { synced: 4, skipped: 13 + 4, failed: 3 },
    rows: { quarantined: 3 },
    failures_total: 7,
  });
  const failures = new Map(result.failures.map(({ owner, stream, reason }) => [owner, [stream, reason]]));
  expect(failures.get("fp_2")).toEqual(["bank_links", "bank_links: user not found"]);
  expect(failures.get("fp_3")).toEqual(["accounts", "accounts: schema body: not an object"]);
  expect(failures.get("fp_4")).toEqual(["bank_links", "bank_links: refused http_422"]);
  expect(failures.get("fp_unknown")).toEqual(["bank_links", "bank_links: user not found"]);
  expect(failures.get("wrong")?.[1]).toMatch(/^schema has_more: /);
  expect(failures.get("no-address")?.[1]).toMatch(/^schema cursor\.next: /);
  const rows = await world.rows(
    `select link_id, reason from link_syncs where run_id = '${runId}' and status = 'skipped'`,
  );
  const reasons = new Map(rows.map(({ link_id, reason }) => [link_id, reason]));
  expect(Object.fromEntries(reasons)).toMatchObject({
    link_connecting: "state connecting",
    link_deleted: "state deleted",
    link_auth_expired: "state error auth_expired",
    odd: "state archived",
    lone: "state \ufffd",
  });
  expect(reasons.size).toBe(17);
  // One in error may keep its past readable, and is asked once.
  for (const [link, reason] of reasons)
    expect(syncCalls(world, String(link))).toHaveLength(String(reason).startsWith("state error") ? 1 : 0);
  const good = ["fp_1-a", "fp_3-a"];
  for (const link of good) expect(await linkSync(world, runId, link)).toMatchObject({ status: "synced" });
  await expectLakeEqualsTruth(
    world,
    [...sandbox.world.links.keys()].filter((link) => good.includes(link) || /^link_\d/.test(link)),
  );
});

test("a link in error whose past is readable is read to its end, with lists that go back 90 days and dates with times, and the reason stays", async () => {
  const behaves = new Set(["readable-errors", "ninety-days", "dated-times"] as const);
  const world = await worlds.open({ sandbox: { behaves } });
  addLink(world, "expired", 30);
  world.sandbox.setLink("expired", { state: "error", error_code: "auth_expired" });
  const night = async () => (await world.sync()).result;
  const in_error = { by_reason: { "state error auth_expired": 1 } };
  expect(await night()).toMatchObject({ links: { synced: 1 }, in_error, skipped: { by_reason: {} } });
  expect(await night()).toMatchObject({ links: { unchanged: 1 }, in_error, rows: { quarantined: 0 } });
  await expectLakeEqualsTruth(world, ["expired"]);
  expect(await world.rows("select distinct reason from link_syncs")).toEqual([
    { reason: "state error auth_expired" },
  ]);
});

test("a row that takes the place of a posted one with its id is counted, within an update and against earlier ones", async () => {
  const world = await worlds.open();
  const { sandbox } = world;
  addLink(world, "a", 0);
  sandbox.append("a", [created("x"), created("x", { amount: "9.99" }), created("y"), created("back")]);
  sandbox.append("a", [created("hold", { pending: true }), created("same")]);
  expect((await world.sync()).result).toMatchObject({ id_conflicts: 1 });
  sandbox.append("a", [created("y", { date: "2026-01-02" }), created("y", { account_id: "other" })]);
  // Posted under its id, as it was, and again after it was removed.
  sandbox.append("a", [created("hold", { amount: "3.00" }), created("same"), removed("back")]);
  expect((await world.sync()).result).toMatchObject({ id_conflicts: 2 });
  sandbox.append("a", [created("back", { amount: "3.00" })]);
  const { runId, result } = await world.sync();
  expect(result.id_conflicts).toBeUndefined();
  expect(await linkSync(world, runId, "a")).toMatchObject({ created: 1, id_conflicts: 0 });
  // A full reading brings what is known again, and what took the place of another within its log.
  expect((await world.sync({ full: true })).result).toMatchObject({ id_conflicts: 3 });
});

test("accounts and bank_links have a row for each change, with exact balances and JSON as it came", async () => {
  const world = await worlds.open();
  world.sandbox.addLink({
    fp_id: "fp_1",
    id: "a",
    fields: {
      tags: ["x", "y"],
      external_id: "ext",
      products: { transactions: { refreshed_at: "2026-01-01T00:00:00Z" } },
    },
    accounts: [
      {
        id: "acc_1",
        fields: {
          balances: {
            available: 0.1,
            current: "-123456789012345678.0000000001",
            limit: 1234567890123.45,
            currency: "JPY",
            balance_date: "2026-11-19T22:00:00-05:00",
          },
          raw_provider_data: { deep: [1, { k: null }] },
        },
      },
      { id: "acc_2", fields: { balances: null, raw_provider_data: null, account_type: "new.kind" } },
      { raw: '{"id":" ","link_id":"a","name":"blank"}' },
      { raw: '{"id":"acc_3","link_id":"a","name":"float","balances":{"current":"1e3"}}' },
    ],
  });
  const { runId, result } = await world.sync();
  expect(result.rows.quarantined).toBe(2);
  const accounts = await world.rows("select * from accounts order by account_id");
  expect(accounts).toMatchObject([
    {
      run_id: runId,
      fp_id: "fp_1",
      link_id: "a",
      account_id: "acc_1",
      balance_available: "0.1000000000",
      balance_current: "-123456789012345678.0000000001",
      balance_limit: "1234567890123.4500000000",
      balance_currency: "JPY",
      balance_date: "2026-11-20T03:00:00.000000Z",
      balance_date_text: "2026-11-19T22:00:00-05:00",
      raw_provider_data: '{"deep":[1,{"k":null}]}',
    },
    { account_id: "acc_2", account_type: "new.kind", balance_current: null, raw_provider_data: null },
  ]);
  expect(await world.rows("select stream, list, reason, fp_id from quarantine order by index")).toMatchObject(
    [
      { stream: "accounts", list: "accounts", reason: "id: blank", fp_id: "fp_1" },
      {
        stream: "accounts",
        list: "accounts",
        reason: "balances.current: not a decimal string",
        fp_id: "fp_1",
      },
    ],
  );
  expect(await world.rows("select * from bank_links")).toMatchObject([
    {
      run_id: runId,
      link_id: "a",
      state: "connected",
      created_at: "2026-01-15T08:30:00.000000Z",
      tags: '["x","y"]',
      external_id: "ext",
      products: '{"transactions":{"refreshed_at":"2026-01-01T00:00:00Z"}}',
    },
  ]);
  await world.sync();
  const counts = "(select count(*) from accounts) as accounts, (select count(*) from bank_links) as links";
  expect(await world.rows(`select ${counts}, (select count(*) from accounts_current) as current`)).toEqual([
    { accounts: 2, links: 1, current: 2 },
  ]);
});

test.for([
  [["accounts"], { list_user_accounts: 1 }, ["accounts", "accounts_current", "runs"]],
  [["bank_links"], { list_bank_links: 1 }, ["bank_links", "bank_links_current", "runs"]],
  [
    ["transactions"],
    { list_bank_links: 1, sync_transactions: 1 },
    ["link_syncs", "runs", "transaction_changes", "transactions"],
  ],
  [
    ["bank_links", "transactions"],
    { list_bank_links: 1, sync_transactions: 1 },
    ["bank_links", "bank_links_current", "link_syncs", "runs", "transaction_changes", "transactions"],
  ],
] as const)(
  "--streams %s asks only what it needs and writes only its tables",
  async ([streams, calls, tables]) => {
    const world = await worlds.open();
    addLink(world, "a", 2);
    world.sandbox.addAccount("a");
    const { result } = await world.sync({ streams });
    expect(result.status).toBe("completed");
    expect(world.sandbox.calls().by_operation).toEqual(calls);
    const found = new Set((await world.store.list("")).map(({ key }) => key.split("/")[0]));
    found.delete("_staging");
    expect([...found].sort()).toEqual(tables);
  },
);

test("--links reads only these links", async () => {
  const world = await worlds.open();
  for (const link of ["a", "b", "c"]) addLink(world, link, 2);
  const { result } = await world.sync({ links: ["b", "nowhere"] });
  expect(result.links).toMatchObject({ synced: 1, skipped: 0 });
  expect(syncCalls(world, "a")).toEqual([]);
  expect(await feedOf(world, "b")).toHaveLength(2);
  expect((await world.rows("select count(*) as n from bank_links"))[0]?.n).toBe(3);
});

test("a link that two users list is read once", async () => {
  const world = await worlds.open();
  // A list that named the owner would be refused to the other one.
  world.sandbox.addLink({ fp_id: "fp_1", id: "a", fields: { fp_id: null } });
  addRows(world.sandbox, "a", 2);
  world.sandbox.addUser({ fp_id: "fp_2" });
  world.sandbox.world.users.get("fp_2")?.linkIds.push("a");
  const { result } = await world.sync();
  expect(result).toMatchObject({ users: { failed: 0 }, links: { synced: 1 } });
  expect(syncCalls(world, "a")).toHaveLength(1);
  // It is the one's whose list was read first.
  expect(await feedOf(world, "a")).toHaveLength(2);
});

test("nights of changes: rows, feed, chains and the row of the run are exact, and staging is empty after them", async () => {
  const world = await worlds.open({
    sandbox: { population: { kind: "synthetic", users: 2, linksPerUser: 2, rows: 120 } },
  });
  const { runId, result } = await world.sync();
  const { users, links, rows, pages, restarts, calls, status } = result;
  expect(await world.rows("select * from runs")).toMatchObject([
    {
      run_id: runId,
      kind: "sync",
      status,
      users: users.total,
      links: 4,
      ...links,
      ...rows,
      pages,
      restarts,
      calls,
      options: JSON.stringify({
        streams: ["accounts", "bank_links", "transactions"],
        links: null,
        full: false,
        pageSize: 500,
      }),
    },
  ]);
  expect(calls).toBe(world.sandbox.calls().total);
  const feed = await world.rows("select change_type, count(*) as n from transaction_changes group by all");
  expect(Object.fromEntries(feed.map(({ change_type, n }) => [change_type, n]))).toEqual({
    created: rows.created,
    updated: rows.updated,
    removed: rows.removed,
  });
  expect(await world.store.list("_staging/")).toEqual([]);
  await expectLakeEqualsTruth(world);
  for (let night = 1; night <= 3; night += 1) {
    world.sandbox.advance({ days: 1, seed: night, created: 6, pending: 3, updated: 4, removed: 2 });
    const later = await world.sync({ pageSize: 5 });
    expect(later.result.status).toBe("completed");
    await expectLakeEqualsTruth(world);
  }
});
