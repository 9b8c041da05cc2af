import { writeFile } from "node:fs/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Sandbox, startSandbox } from "../../../sandbox/index.js";
import { transactionRow } from "../../../sandbox/world/records.js";
import { openClusterFolder } from "../../helpers/command/cluster-folder.js";
import { sayHere } from "../../helpers/command/command-here.js";
import type { JobFolder } from "../../helpers/command/job-folder.js";
import { sharedTemporal } from "../../helpers/temporal/shared-temporal.js";

let sandbox: Sandbox;
let folder: JobFolder;
beforeEach(async () => {
  sandbox = await startSandbox();
  sandbox.addLink({ fp_id: "u", id: "l", accounts: [{ id: "a" }, { id: "b" }] });
  const row = transactionRow({ transaction_id: "t1", account_id: "a" });
  sandbox.append("l", [{ change: "created", row }]);
  folder = await openClusterFolder(sandbox, sharedTemporal());
  await writeFile(folder.roster, "fp_id\nu\n");
});
afterEach(async () => {
  await folder?.release();
  await sandbox?.close();
});

const run = (...args: string[]) => sayHere(folder, ...args);
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
  sandbox.unlist("l", ["t1"]);
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
  sandbox.world.link("l").unlisted.clear();
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
  sandbox.setAccount("l", "a", { name: "renamed" });
  await run("sync", ...roster);
  sandbox.setAccount("l", "a", { balances: { current: "0.0000000001", currency: "USD" } });
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

test.each([
  [["reconcile", ...roster, "--from", "2026-02-30"], /--from is not a day of the calendar/],
  [
    ["reconcile", ...roster, "--from", "2026-11-30", "--to", "2026-11-01"],
    /--from is after --to\. Exchange the two days/,
  ],
  [["sync", ...roster, "--lookback", "10"], /--streams names neither/],
  [["sync", ...roster, "--lookback", "36501"], /a whole number from 1 to 36500/],
])("%j is refused, and nothing is started", async (args, words) => {
  const { code, said } = await run(...args);
  expect(code).toBe(2);
  expect(said.error.message).toMatch(words);
  expect(sandbox.requests()).toEqual([]);
});
