import { expect, test } from "vitest";
import type { RosterRow } from "../../../src/domain/sync/job.js";
import { created } from "../../helpers/sync/scripted-links.js";
import type { SyncWorld } from "../../helpers/sync/sync-harness.js";
import { syncWorlds } from "../../helpers/sync/sync-worlds.js";

const worlds = syncWorlds();

const links = (world: SyncWorld) =>
  world.rows("select link_id, gone, count(*) as n from bank_links group by all order by all");
const names = async (world: SyncWorld, table: string) =>
  (await world.rows(`select account_id, name from ${table} order by account_id, observed_at`)).map(
    ({ account_id, name }) => `${account_id} ${name}`,
  );

async function openUsers(...users: readonly string[]): Promise<SyncWorld> {
  const world = await worlds.open();
  for (const user of users) {
    world.sandbox.addLink({
      fp_id: user,
      id: `${user}1`,
      accounts: [{ id: `${user}1-a`, fields: { name: "first" } }],
    });
    world.sandbox.addLink({ fp_id: user, id: `${user}2` });
  }
  return world;
}

test("quiet nights add nothing; what is gone says so, once; what can't be read, or has a bad row, makes nothing gone", async () => {
  const world = await openUsers("u", "v", "w");
  await world.sync();
  const tables = ["accounts", "accounts_current", "bank_links", "bank_links_current"];
  const versions = () => Promise.all(tables.map((table) => world.store.list(`${table}/_delta_log/`)));
  const before = await versions();
  await world.sync();
  expect(await versions()).toEqual(before);
  expect((await world.rows("select count(*) as n from link_syncs"))[0]?.n).toBe(12);

  const serve = (id: string) => {
    world.sandbox.world.link("w1").accounts.pop();
    world.sandbox.addAccount("w1", { raw: JSON.stringify({ id, link_id: "w1", name: "second" }) });
  };
  const namesOfW = async (table: string) =>
    (await names(world, table)).filter((name) => name.startsWith("w"));
  world.sandbox.removeLink("u1");
  world.sandbox.addFault({ kind: "status", status: 404, user: "v", operation: "list_bank_links", times: 1 });
  serve(" ");
  expect((await world.sync()).result.quarantine).toEqual({ new: 1, open: 1 });
  expect(await namesOfW("accounts")).toEqual(["w1-a first"]);
  serve("w1-a");
  expect((await world.sync()).result.quarantine).toEqual({ new: 0, open: 0 });
  expect(await namesOfW("accounts")).toEqual(["w1-a first", "w1-a second"]);
  expect(await names(world, "accounts_current")).toEqual(["v1-a first", "w1-a second"]);
  expect(await links(world)).toEqual([
    { link_id: "u1", gone: true, n: 1 },
    { link_id: "u1", gone: null, n: 1 },
    ...["u2", "v1", "v2", "w1", "w2"].map((link_id) => ({ link_id, gone: null, n: 1 })),
  ]);
  const current = await world.rows("select link_id from bank_links_current order by link_id");
  expect(current.map(({ link_id }) => link_id)).toEqual(["u2", "v1", "v2", "w1", "w2"]);
});

test("accounts of named links alone: what a list lacks is gone in that link, and nowhere else", async () => {
  const world = await openUsers("u", "v");
  world.sandbox.addAccount("u2", { id: "u2-a", fields: { name: "first" } });
  world.sandbox.addAccount("u1", { id: "u1-b", fields: { name: "first" } });
  await world.sync();
  world.sandbox.clearRequests();
  world.sandbox.world.link("u1").accounts.splice(0, 1);
  world.sandbox.world.link("u2").accounts.splice(0, 1);
  world.sandbox.setAccount("u1", "u1-b", { name: "second" });
  world.sandbox.setAccount("v1", "v1-a", { name: "second" });
  await world.sync({ streams: ["accounts"], links: ["u1"] });
  expect(await names(world, "accounts_current")).toEqual(["u1-b second", "u2-a first", "v1-a first"]);
  const asked = world.sandbox.requests().map(({ operation }) => operation);
  expect(asked.sort()).toEqual(["list_bank_links", "list_bank_links", "list_link_accounts"]);
  await world.sync();
  expect(await names(world, "accounts_current")).toEqual(["u1-b second", "v1-a second"]);
});

test("a named link that can't be read because its own row is bad is in quarantine", async () => {
  const world = await openUsers("u", "v");
  world.sandbox.setLink("u1", { state: 5 as never });
  const { result } = await world.sync({ streams: ["accounts"], links: ["u1"] });
  expect(result).toMatchObject({ status: "completed_with_failures", quarantine: { new: 1, open: 1 } });
  expect(await world.rows("select stream, list from quarantine")).toEqual([
    { stream: "bank_links", list: "links" },
  ]);
});

// A run without a word of the roster, such as that of a webhook, took the id away; a new id was only in rows that changed anyway.
test("the roster's own ids stand beside links, accounts and rows; a run without them keeps the last ones", async () => {
  const world = await openUsers("u", "v");
  const row = (link: string, at: number) =>
    world.sandbox.append(link, [created(`${link}-${at}`, { account_id: `${link}-a` })]);
  const [u, v] = ["u", "v"].map((fp_id) => ({ fp_id, external_id: `C-${fp_id}` })) as [RosterRow, RosterRow];
  row("u1", 0);
  row("v1", 0);
  row("v1", 1);
  await world.sync({ users: [u, v] });
  world.sandbox.setAccount("u1", "u1-a", { name: "second" });
  await world.sync();
  row("u1", 1);
  await world.sync();
  row("v1", 2);
  await world.sync({ users: [u, { ...v, external_id: "C-new" }] });
  expect(
    await world.rows("select account_id, name, external_id from accounts order by account_id, observed_at"),
  ).toEqual([
    { account_id: "u1-a", name: "first", external_id: "C-u" },
    { account_id: "u1-a", name: "second", external_id: "C-u" },
    { account_id: "v1-a", name: "first", external_id: "C-v" },
    { account_id: "v1-a", name: "first", external_id: "C-new" },
  ]);
  for (const table of ["transactions", "transaction_changes"]) {
    const own = `select link_id, string_agg(external_id, ' ' order by sequence) as ids from ${table} group by all order by all`;
    expect(await world.rows(own), table).toEqual([
      { link_id: "u1", ids: "C-u C-u" },
      { link_id: "v1", ids: "C-v C-v C-new" },
    ]);
  }
  const nights = `select link_id, string_agg(external_id, ' ' order by started_at) as ids from link_syncs group by all order by all`;
  expect(await world.rows(nights)).toEqual([
    { link_id: "u1", ids: "C-u C-u C-u C-u" },
    { link_id: "u2", ids: "C-u C-u C-u C-u" },
    { link_id: "v1", ids: "C-v C-v C-v C-new" },
    { link_id: "v2", ids: "C-v C-v C-v C-new" },
  ]);
});
