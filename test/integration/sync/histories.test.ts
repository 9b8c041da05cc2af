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

async function twoUsers(): Promise<SyncWorld> {
  const world = await worlds.open();
  for (const user of ["u", "v"]) {
    world.sandbox.addLink({
      fp_id: user,
      id: `${user}1`,
      accounts: [{ id: `${user}1-a`, fields: { name: "first" } }],
    });
    world.sandbox.addLink({ fp_id: user, id: `${user}2` });
  }
  return world;
}

test("nights that bring nothing new add no row and leave the small tables alone", async () => {
  const world = await twoUsers();
  await world.sync();
  const tables = ["accounts", "accounts_current", "bank_links", "bank_links_current"];
  const versions = () => Promise.all(tables.map((table) => world.store.list(`${table}/_delta_log/`)));
  const before = await versions();
  await world.sync();
  await world.sync();
  expect(await versions()).toEqual(before);
  expect((await world.rows("select count(*) as n from link_syncs"))[0]?.n).toBe(12);
});

test("a link and an account that are gone say so, once; what can't be read is not gone", async () => {
  const world = await twoUsers();
  await world.sync();
  world.sandbox.removeLink("u1");
  world.sandbox.addFault({ kind: "status", status: 404, user: "v", operation: "list_bank_links", times: 1 });
  await world.sync();
  await world.sync();
  expect(await links(world)).toEqual([
    { link_id: "u1", gone: true, n: 1 },
    { link_id: "u1", gone: null, n: 1 },
    { link_id: "u2", gone: null, n: 1 },
    { link_id: "v1", gone: null, n: 1 },
    { link_id: "v2", gone: null, n: 1 },
  ]);
  const current = await world.rows("select link_id from bank_links_current order by link_id");
  expect(current.map(({ link_id }) => link_id)).toEqual(["u2", "v1", "v2"]);
  expect(await names(world, "accounts_current")).toEqual(["v1-a first"]);
});

test("a list with a bad row adds what has changed and makes nothing gone, and is whole again without it", async () => {
  const world = await twoUsers();
  await world.sync();
  const link = world.sandbox.world.link("u1");
  const serve = (id: string) => {
    link.accounts.pop();
    world.sandbox.addAccount("u1", { raw: JSON.stringify({ id, link_id: "u1", name: "second" }) });
  };
  serve(" ");
  const { result } = await world.sync();
  expect(result.quarantine).toEqual({ new: 1, open: 1 });
  expect(await names(world, "accounts")).toEqual(["u1-a first", "v1-a first"]);
  serve("u1-a");
  expect((await world.sync()).result.quarantine).toEqual({ new: 0, open: 0 });
  expect(await names(world, "accounts")).toEqual(["u1-a first", "u1-a second", "v1-a first"]);
  expect(await names(world, "accounts_current")).toEqual(["u1-a second", "v1-a first"]);
});

test("accounts of named links alone: what a list lacks is gone in that link, and nowhere else", async () => {
  const world = await twoUsers();
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
  const world = await twoUsers();
  world.sandbox.setLink("u1", { state: 5 as never });
  const { result } = await world.sync({ streams: ["accounts"], links: ["u1"] });
  expect(result).toMatchObject({ status: "completed_with_failures", quarantine: { new: 1, open: 1 } });
  expect(await world.rows("select stream, list from quarantine")).toEqual([
    { stream: "bank_links", list: "links" },
  ]);
});

// A run without a word of the roster, such as that of a webhook, took the id away; a new id was only in rows that changed anyway.
test("the roster's own ids stand beside links, accounts and rows; a run without them keeps the last ones", async () => {
  const world = await twoUsers();
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
