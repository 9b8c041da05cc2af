import { beforeEach, expect, test } from "vitest";
import { commandWorld } from "../../helpers/command/command-world.js";
import { sharedTemporal } from "../../helpers/temporal/shared-temporal.js";

const SYNC = ["sync", "--roster", "users.csv", "--json"];

const world = commandWorld({ playbooks: [{ key: "pb_kyc", outcomes: { pass: 1 } }] });
beforeEach(async () => {
  for (const user of ["u1", "u2", "u3"]) {
    for (const link of ["a", "b"])
      world.sandbox.addLink({ fp_id: user, id: `${user}-${link}`, accounts: [{ id: `${user}-${link}-1` }] });
  }
  await world.write("users.csv", "fp_id\nu1\nu2\nu3\n");
});

const { run } = world;
const json = async (...args: string[]) => {
  const said = JSON.parse((await run(...args, "--json")).stdout);
  return said.items ?? said;
};

test("a run that failed in part is listed, shown with the action to take, and its retry reads only what failed", async () => {
  world.sandbox.addFault({ kind: "status", status: 404, operation: "list_bank_links", user: "u2", times: 1 });
  world.sandbox.addFault({ kind: "status", status: 422, operation: "sync_transactions", link: "u1-b" });
  const first = await run(...SYNC);
  expect(first.code).toBe(1);
  const { run_id } = JSON.parse(first.stdout);
  expect(await json("runs", "list", "--kind", "sync")).toMatchObject([
    { run_id, kind: "sync", status: "completed_with_failures", counts: { users: 3, links: 4, failed: 1 } },
  ]);
  expect(await json("runs", "list", "--status", "completed")).toEqual([]);
  const { findings, counts } = await json("runs", "show", run_id);
  expect(counts.calls).toBeGreaterThan(0);
  expect(findings).toEqual([
    expect.objectContaining({ reason: "bank_links: user not found", count: 1, examples: ["u2"] }),
    expect.objectContaining({ reason: "refused http_422", count: 1, examples: ["u1-b"] }),
  ]);
  const text = (await run("runs", "show", run_id)).stdout;
  expect(text).toContain("→ check the roster: the service does not know this user");
  expect(text).toContain(`nightledger runs retry ${run_id}`);
  expect(text.split("\n").filter((line) => line.length > 100)).toEqual([]);

  const status = await run("status");
  expect(status.code).toBe(0);
  expect(status.stdout).toContain(`nightledger runs retry ${run_id}`);

  world.sandbox.clearFaults();
  world.sandbox.clearRequests();
  const retried = await run("runs", "retry", run_id, "--json");
  expect(retried).toMatchObject({ code: 0 });
  expect(JSON.parse(retried.stdout)).toMatchObject({ status: "completed", links: { failed: 0 } });
  const read = world.sandbox.requests({ operation: "sync_transactions" }).map(({ link }) => link);
  expect([...new Set(read)].sort()).toEqual(["u1-b", "u2-a", "u2-b"]);
  const listed = await json("runs", "list");
  expect(listed).toHaveLength(2);
  expect(listed[0]).toMatchObject({ status: "completed", options: { retryOf: run_id } });
  expect(await run("runs", "retry", listed[0].run_id)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`nothing failed in run ${listed[0].run_id}`),
  });
});

test("a run whose key may not do all of it says what wherever it is shown, and its retry does the whole again", async () => {
  world.sandbox.addFault({ kind: "status", status: 401, operation: "sync_transactions" });
  const refused = await run(...SYNC);
  expect(refused.code).toBe(4);
  const why = {
    reason: "credentials_refused",
    message: expect.stringContaining("the key may not call sync_transactions"),
  };
  const { run_id, ...said } = JSON.parse(refused.stdout);
  expect(said).toMatchObject({ status: "failed", ...why });
  expect(await json("runs", "show", run_id)).toMatchObject({ status: "failed", ...why });
  const words =
    "why       credentials_refused: the key may not call sync_transactions: the service refused it for three";
  const again = `do the whole run again: nightledger runs retry ${run_id}`;
  for (const shown of [await run("runs", "show", run_id), await run("status")]) {
    expect(shown.stdout).toContain(words);
    expect(shown.stdout).toContain(again);
  }
  world.sandbox.clearFaults();
  const retried = await run("runs", "retry", run_id, "--json");
  expect(retried).toMatchObject({ code: 0 });
  expect(JSON.parse(retried.stdout)).toMatchObject({ status: "completed", users: { total: 3 } });
  expect(await run("runs", "retry", run_id)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("is not kept any more, as after a retry"),
  });
});

test("a run in progress is found, and watched to its end", async () => {
  const release = world.sandbox.hold({ operation: "sync_transactions" });
  expect(await run(...SYNC, "--detach")).toMatchObject({ code: 0 });
  await expect
    .poll(() => world.sandbox.requests({ operation: "sync_transactions" }).length)
    .toBeGreaterThan(0);
  await expect
    .poll(() => json("runs", "list", "--status", "running").then(({ length }) => length), { timeout: 20_000 })
    .toBe(1);
  const [{ run_id }] = await json("runs", "list");
  expect(await json("runs", "show", run_id)).toMatchObject({
    status: "running",
    finished_at: null,
    progress: { usersTotal: 3 },
  });
  expect((await run("status")).stdout).toMatch(new RegExp(`open +${run_id} running: reading`));
  const { client, close } = await sharedTemporal().client();
  const listed = [];
  const query = `NightledgerKind = "sync" AND NightledgerStatus = "running" AND ExecutionStatus = "Running"`;
  for await (const { memo } of client.workflow.list({ query })) listed.push(memo?.runId);
  await close();
  expect(listed).toContain(run_id);
  const watched = run("runs", "watch", run_id, "--json");
  release();
  expect(await watched).toMatchObject({ code: 0 });
  expect(JSON.parse((await watched).stdout)).toMatchObject({ run_id, status: "completed" });
  expect(await run("runs", "watch", run_id)).toMatchObject({ code: 0 });
});

// The whole pause that the service had announced counted, ten minutes in a run of ten seconds.
test("a run that is cancelled in a pause of the service has waited until its end, and no longer", async () => {
  world.sandbox.addFault({ kind: "status", status: 429, retryAfter: 600, operation: "sync_transactions" });
  expect(await run(...SYNC, "--detach")).toMatchObject({ code: 0 });
  const open = async () => (await json("runs", "list", "--status", "running"))[0]?.run_id;
  await expect.poll(open, { timeout: 20_000 }).toBeDefined();
  const id = await open();
  const progress = async () => (await json("runs", "show", id)).progress;
  await expect.poll(progress).toMatchObject({ throttled_until: expect.any(String) });
  await run("runs", "cancel", id);
  const { status, duration_ms, counts } = await json("runs", "show", id);
  expect(status).toBe("cancelled");
  expect(counts.paused_ms).toBeLessThanOrEqual(duration_ms);
});

test("a batch is shown by its id, by what its customers came to", async () => {
  await world.write("users.csv", "fp_id\nu1\nu2\n");
  const done = await run("onboard", "--customers", "users.csv", "--playbook", "pb_kyc", "--json");
  expect(done.code, done.stderr).toBe(0);
  const { batch_id, run_id } = JSON.parse(done.stdout);
  expect(await json("runs", "show", batch_id)).toMatchObject({
    batch_id,
    statuses: { pass: 2 },
    runs: [{ run_id, status: "completed" }],
    progress: null,
    findings: [],
  });
  expect(await json("runs", "show", run_id)).toMatchObject({ kind: "onboard", job_id: batch_id });
});
