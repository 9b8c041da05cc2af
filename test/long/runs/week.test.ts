import { writeFile } from "node:fs/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Sandbox, startSandbox } from "../../../sandbox/index.js";
import { openClusterFolder } from "../../helpers/command/cluster-folder.js";
import { runHere } from "../../helpers/command/command-here.js";
import type { JobFolder } from "../../helpers/command/job-folder.js";
import { created, updated } from "../../helpers/sync/scripted-links.js";
import { sharedTemporal } from "../../helpers/temporal/shared-temporal.js";

let sandbox: Sandbox;
let folder: JobFolder;
beforeEach(async () => {
  sandbox = await startSandbox();
  for (const [user, link] of [
    ["u1", "a"],
    ["u1", "b"],
    ["u2", "c"],
  ] as const) {
    sandbox.addLink({ fp_id: user, id: link, accounts: [{ id: `${link}-1` }] });
  }
  folder = await openClusterFolder(sandbox, sharedTemporal());
  await writeFile(folder.roster, "fp_id\nu1\nu2\n");
});
afterEach(async () => {
  await folder?.release();
  await sandbox?.close();
});

/** One night: each link has new rows, the sync runs; then the person on call asks how things are. */
async function night(day: number) {
  for (const link of ["a", "b", "c"])
    sandbox.append(link, [created(`${link}-day-${day}`, { account_id: `${link}-1` })]);
  const sync = await runHere(folder, ["sync", "--roster", "users.csv", "--json"]);
  const { code, stdout, stderr } = await runHere(folder, ["status"]);
  expect(code, stderr).toBe(0);
  expect(stdout.split("\n").length).toBeLessThan(14);
  return {
    code: sync.code,
    said: sync.stderr,
    summary: JSON.parse(sync.stdout),
    status: stdout,
  };
}

test("a week: a link that fails, one that expires, a bad row, a throttled hour; each morning status says so", async () => {
  const monday = await night(1);
  expect(monday.code).toBe(0);
  expect(monday.status).toMatch(/^last +sync: completed .* ago in .*\n +sync-\S+: 3 created\n/m);
  expect(monday.status).not.toMatch(/failed|open|bad rows|stale/);

  const fault = sandbox.addFault({
    kind: "status",
    status: 422,
    body: '{"error":{"message":"field \\"size\\": not today"}}',
    operation: "sync_transactions",
    link: "b",
  });
  const tuesday = await night(2);
  expect(tuesday.code).toBe(1);
  expect(tuesday.status).toContain("failed    1 × refused http_422: b");
  expect(tuesday.status).toContain(
    `→ retry only what failed: nightledger runs retry ${tuesday.summary.run_id}`,
  );

  sandbox.setLink("c", { state: "error", error_code: "auth_expired" });
  const wednesday = await night(3);
  expect(wednesday.code).toBe(1);
  expect(wednesday.summary.skipped).toEqual({ by_reason: { "state error auth_expired": 1 } });
  expect(wednesday.status).toContain("          1 needs the customer (auth_expired 1)\n");
  const shown = await runHere(folder, ["runs", "show", wednesday.summary.run_id]);
  expect(shown.stdout).toContain("skipped   1 × state error auth_expired: c\n          → ask the customer");

  sandbox.removeFault(fault);
  sandbox.append("a", [created("bad", { amount: "1e3", account_id: "a-1" })]);
  const thursday = await night(4);
  expect(thursday.code).toBe(1);
  expect(thursday.summary.quarantine).toEqual({ new: 1, open: 1 });

  const friday = await night(5);
  expect(friday.code).toBe(0);
  expect(friday.status).toContain("bad rows  1 open; see: nightledger quarantine list");

  sandbox.addFault({ kind: "status", status: 429, retryAfter: 8, operation: "sync_transactions", times: 1 });
  const saturday = await night(6);
  expect(saturday.code).toBe(0);
  expect(saturday.said).toMatch(/waiting: throttled by the service until \d\d:\d\d/);
  const throttled = await runHere(folder, ["runs", "show", saturday.summary.run_id]);
  expect(throttled.stdout).toMatch(/^cost +\d+ calls, .*, [5-9]\.\ds paused by the service$/m);

  sandbox.append("a", [updated("bad", { amount: "1000.00", account_id: "a-1" })]);
  sandbox.setLink("c", { state: "connected", error_code: null });
  const sunday = await night(7);
  expect(sunday.code).toBe(0);
  expect(sunday.status).not.toMatch(/failed|open|bad rows|stale/);
  const live = await runHere(folder, ["query", "--json", "select count(*) as n from transactions"]);
  expect(JSON.parse(live.stdout)).toEqual([{ n: 3 * 7 + 1 }]);
  expect(await runHere(folder, ["verify"])).toMatchObject({ code: 0 });
});
