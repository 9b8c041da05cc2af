import { expect, test } from "vitest";
import { createTables } from "../../../../src/lake/tables/create.js";
import { TABLES } from "../../../../src/tables.js";
import { auditInvestments } from "../../../helpers/sync/investment-audit.js";
import type { SyncWorld } from "../../../helpers/sync/sync-harness.js";
import { syncWorlds } from "../../../helpers/sync/sync-worlds.js";

const worlds = syncWorlds();
const INVESTMENTS = ["investment_transactions", "securities"];
const OPERATION = "list_investment_transactions";

const linksOf = (world: SyncWorld) => [...world.sandbox.world.links.keys()];
const audit = (world: SyncWorld) => auditInvestments(world.rows, world.sandbox, linksOf(world));
const night = async (world: SyncWorld, full = false) =>
  (await world.sync({ streams: INVESTMENTS, full })).result;

function change(world: SyncWorld, days: number): void {
  for (const link of linksOf(world)) {
    world.sandbox.investments.change(link, { created: 7, updated: 9, removed: 5, days });
  }
}

test("over nights with changes, faults and lists that move, the tables are the service's rows, each change once", async () => {
  const world = await worlds.open({
    sandbox: {
      population: { kind: "synthetic", users: 3, linksPerUser: 2, rows: 1 },
      investments: 230,
    },
  });
  const { sandbox } = world;
  expect(await night(world)).toMatchObject({ status: "completed" });
  expect(await audit(world)).toEqual([]);

  change(world, 25);
  expect(await night(world)).toMatchObject({ status: "completed" });
  expect(await audit(world)).toEqual([]);

  change(world, 25);
  for (const how of ["insert", "remove"] as const) {
    sandbox.addFault({ kind: "list_moves", operation: OPERATION, how, times: 1 });
  }
  sandbox.addFault({ kind: "status", status: 429, retryAfter: 1, operation: OPERATION, times: 1 });
  sandbox.addFault({ kind: "status", status: 500, operation: OPERATION, times: 2 });
  sandbox.addFault({ kind: "reset", operation: OPERATION, times: 1 });
  sandbox.addFault({ kind: "truncated", operation: OPERATION, times: 1 });
  expect((await night(world)).failures).toEqual([]);
  sandbox.clearFaults();
  expect(await audit(world)).toEqual([]);

  // What was read before the credentials were refused stays.
  change(world, 25);
  sandbox.addFault({ kind: "status", status: 401, operation: OPERATION, after: 9 });
  sandbox.addFault({ kind: "status", status: 401, operation: "get_user" });
  expect(await night(world)).toMatchObject({ status: "failed", unauthorized: true });
  sandbox.clearFaults();
  change(world, 25);
  // Each time: a slice whose time is up after a failed list reads that again.
  const link = linksOf(world)[0] ?? "";
  sandbox.addFault({ kind: "wrong_body", body: "{}", operation: OPERATION, link });
  expect((await night(world)).failures).toMatchObject([{ stream: "investment_transactions" }]);
  sandbox.clearFaults();
  expect(await night(world)).toMatchObject({ status: "completed" });
  expect(await audit(world)).toEqual([]);

  const quiet = await world.rows("select count(*) as n from investment_transaction_changes");
  await night(world);
  expect(await world.rows("select count(*) as n from investment_transaction_changes")).toEqual(quiet);

  const old = sandbox.investments.transactions(link).at(-1)?.id ?? "";
  sandbox.investments.remove(link, [old]);
  change(world, 730);
  await night(world, true);
  expect(await audit(world)).toEqual([]);
});

test("a link whose investments are refused costs its user nothing else; the next night has them", async () => {
  const world = await worlds.open({
    sandbox: { population: { kind: "synthetic", users: 1, linksPerUser: 3, rows: 4 }, investments: 130 },
  });
  const [bad = "", ...others] = linksOf(world);
  const streams = ["accounts", "bank_links", "transactions", ...INVESTMENTS];
  world.sandbox.addFault({ kind: "status", status: 422, operation: OPERATION, link: bad });
  const { result } = await world.sync({ streams });
  expect(result).toMatchObject({
    status: "completed_with_failures",
    users: { failed: 1 },
    links: { synced: 3, failed: 0 },
    failures: [{ owner: "fp_id_00001", reason: "investment_transactions: refused http_422" }],
  });
  const found = await world.rows("select distinct link_id from investment_transactions order by all");
  expect(found.map(({ link_id }) => link_id)).toEqual(others.sort());
  expect(await world.rows("select count(distinct link_id) as n from transactions")).toEqual([{ n: 3 }]);
  world.sandbox.clearFaults();
  expect((await world.sync({ streams })).result).toMatchObject({ status: "completed" });
  expect(await audit(world)).toEqual([]);
});

test("two runs at once write each change once", async () => {
  const world = await worlds.open({
    sandbox: { population: { kind: "synthetic", users: 2, linksPerUser: 2, rows: 1 }, investments: 150 },
  });
  const both = () =>
    Promise.all([night(world), world.sync({ streams: ["investment_transactions"] }), night(world, true)]);
  await both();
  expect(await audit(world)).toEqual([]);
  change(world, 25);
  await both();
  expect(await audit(world)).toEqual([]);
});

test("lists that SQL can't read at once are committed in parts, and each change once", async () => {
  const world = await worlds.open({
    sandbox: { population: { kind: "synthetic", users: 4, linksPerUser: 1, rows: 1 } },
  });
  // As every lake has them from its first job on: that of the securities stays empty.
  await createTables(world.store, TABLES);
  const description = "long ".repeat(4_000);
  for (const [index, link] of linksOf(world).entries()) {
    const transactions = Array.from({ length: index === 0 ? 600 : 230 }, (_, n) => {
      return { investment_transaction_id: `it_${index}_${n}`, description };
    });
    world.sandbox.investments.add(link, { transactions });
  }
  expect(await night(world)).toMatchObject({ status: "completed" });
  expect(await audit(world)).toEqual([]);
  change(world, 25);
  await night(world, true);
  expect(await audit(world)).toEqual([]);
});
