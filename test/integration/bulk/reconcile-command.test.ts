import { beforeEach, expect, test } from "vitest";
import { transactionRow } from "../../../sandbox/world/records.js";
import { commandWorld } from "../../helpers/command/command-world.js";

const world = commandWorld();
beforeEach(async () => {
  world.sandbox.addLink({ fp_id: "u", id: "l", accounts: [{ id: "a" }, { id: "b" }] });
  const row = transactionRow({ transaction_id: "t1", account_id: "a" });
  world.sandbox.append("l", [{ change: "created", row }]);
  await world.write("users.csv", "fp_id\nu\n");
});

const { say: run } = world;
const roster = ["--roster", "users.csv"];
const query = async (sql: string) => (await run("query", sql)).said;

test("links that a sync or a reconciliation names and does not find fail it, by name", async () => {
  await run("sync", ...roster);
  for (const streams of [[], ["--streams", "accounts"]]) {
    const synced = await run("sync", ...roster, ...streams, "--links", "l,nope");
    expect(synced).toMatchObject({ code: 1, said: { status: "completed", links_not_found: ["nope"] } });
  }
  const words = "that this run did not find";
  const found = await run("reconcile", ...roster, "--links", "l");
  expect(found).toMatchObject({ code: 0, said: { counts: { equal: 2 } } });
  expect(found.stderr).not.toContain(words);
  const missing = await run("reconcile", ...roster, "--links", "l,nope");
  expect(missing).toMatchObject({ code: 1, said: { counts: { equal: 2 }, links_not_found: ["nope"] } });
  expect(missing.stderr).toContain(`--links names 1 link ${words}`);
});

test("a retry compares again what differed; runs show knows the kind", async () => {
  await run("sync", ...roster);
  world.sandbox.unlist("l", ["t1"]);
  const { code, said } = await run("reconcile", ...roster);
  expect(code).toBe(1);
  expect(said).toMatchObject({
    job: "reconcile",
    counts: { equal: 1, differs: 1, unknown: 0 },
    failures: [{ line: 2, owner: "u", reason: "differs in 1 of 2 accounts" }],
  });
  expect((await run("runs", "show", said.run_id)).said).toMatchObject({
    kind: "reconcile",
    counts: { users: 1, equal: 1, differs: 1, unknown: 0 },
  });
  world.sandbox.world.link("l").unlisted.clear();
  expect(await run("runs", "retry", said.run_id)).toMatchObject({
    code: 0,
    said: { rows: { total: 1, done: 1 }, counts: { equal: 2, differs: 0, unknown: 0 } },
  });
  const { said: again } = await run("runs", "retry", said.run_id);
  expect(again.error.message).toContain(`the rows of run ${said.run_id} were run again already`);
  const [whole] = await query("select run_id from runs where kind = 'reconcile' and status = 'completed'");
  const { said: nothing } = await run("runs", "retry", whole.run_id);
  expect(nothing.error.message).toContain(`nothing failed in run ${whole.run_id}`);
  const { said: none } = await run("runs", "retry", "reconcile-20260101T000000Z-aaaaaa");
  expect(none.error.message).toContain("has not ended, or is not in this lake");
});

test("balances over time: a row for each change, none for a name", async () => {
  await run("sync", ...roster);
  world.sandbox.setAccount("l", "a", { name: "renamed" });
  await run("sync", ...roster);
  world.sandbox.setAccount("l", "a", { balances: { current: "0.0000000001", currency: "USD" } });
  await run("sync", ...roster);
  const found = await query(
    "select account_id, balance_current from account_balances order by account_id, observed_at",
  );
  expect(found).toEqual([
    { account_id: "a", balance_current: "1300.0000000000" },
    { account_id: "a", balance_current: "0.0000000001" },
    { account_id: "b", balance_current: "1300.0000000000" },
  ]);
});
