import { afterEach, beforeEach, expect, test } from "vitest";
import type { BulkProgress, BulkSummary } from "../../../src/domain/bulk/bulk-totals.js";
import { openColumn } from "../../../src/lake/tables/encrypted-column.js";
import { type BulkWorld, openBulkWorld } from "../../helpers/bulk/bulk-harness.js";
import { userFieldsJob } from "../../helpers/bulk/user-fields-job.js";
import { sharedTemporal } from "../../helpers/temporal/shared-temporal.js";

let world: BulkWorld;
beforeEach(async () => {
  const users = { kind: "synthetic", users: 250, linksPerUser: 0, accountsPerLink: 0, rows: 0 } as const;
  world = await openBulkWorld(sharedTemporal(), userFieldsJob, {
    sandbox: { population: users },
    direct: true,
  });
});
afterEach(() => world.close());

const roster = () => [...world.sandbox.world.users.keys()].map((fp_id) => ({ fp_id }));

test("a new kind: its rows, its failures, its run", async () => {
  const rows = [...roster(), { fp_id: "fp_nobody" }];
  const result = await world.run(rows);
  expect(result).toMatchObject({
    job: "fields",
    status: "completed_with_failures",
    rows: { total: 251, done: 250, failed: 1, invalid: 0, skipped: 0 },
    calls: 251,
    failures: [{ line: 251, owner: "fp_nobody", reason: "not_found" }],
    failures_total: 1,
  });
  expect(
    await world.rows(
      "select count(*)::int n, count(distinct fp_id)::int d, count(fields)::int f from user_fields",
    ),
  ).toEqual([{ n: 251, d: 251, f: 250 }]);
  const sealed = await world.rows("select fp_id, fields::int n, sentence from user_fields order by sentence");
  const opened = sealed.map(({ sentence }) =>
    sentence === null ? null : openColumn(world.sealed.sealer, "user_fields", "sentence", String(sentence)),
  );
  expect(sealed.filter(({ sentence }) => String(sentence).includes("fields"))).toEqual([]);
  expect(opened).toEqual(sealed.map(({ fp_id, n }) => (n === null ? null : `${fp_id} has ${n} fields`)));
  expect(await world.rows("select kind, status, users::int u, failed::int f from runs")).toEqual([
    { kind: "fields", status: "completed_with_failures", u: 251, f: 1 },
  ]);
  const left = await world.store.list("_staging/");
  expect(left.map(({ key }) => key).filter((key) => !key.includes("scratch"))).toEqual([
    `_staging/${result.run_id}-failed/file`,
    `_staging/${result.run_id}-failed/groups/0`,
  ]);
});

test("the same rows join the run that is running", async () => {
  const release = world.sandbox.hold({ operation: "get_user" });
  const first = await world.begin(roster());
  const second = await world.begin(roster());
  expect(second).toMatchObject({ runId: first.runId, joined: true });
  release();
  expect(await first.handle.result()).toMatchObject({ status: "completed" });
});

test("a cancelled run ends with what it has done, and its last calls are waited for", async () => {
  const last = [...world.sandbox.world.users.keys()].at(-1) ?? "";
  const release = world.sandbox.hold({ user: last });
  const { handle } = await world.begin(roster());
  await expect.poll(() => world.sandbox.requests({ operation: "get_user" }).length).toBeGreaterThan(100);
  await handle.cancel();
  release();
  const { status, rows } = (await handle.result()) as BulkSummary;
  expect(status).toBe("cancelled");
  expect(await world.rows("select count(*)::int n from user_fields")).toEqual([{ n: rows.done }]);
  expect(rows.done).toBeGreaterThan(0);
});

test("a refused key ends the run, and no further call is sent", async () => {
  world.sandbox.addFault({ operation: "get_user", kind: "status", status: 401 });
  const result = await world.run(roster());
  expect(result).toMatchObject({ status: "failed", unauthorized: true, rows: { done: 0, failed: 0 } });
});

test("what passes is waited for, and one bad row stops no other", async () => {
  world.sandbox.addFault({ operation: "get_user", kind: "status", status: 503, times: 20 });
  world.sandbox.addFault({
    operation: "get_user",
    kind: "status",
    status: 429,
    retryAfter: 1,
    after: 40,
    times: 1,
  });
  expect(await world.run(roster())).toMatchObject({ status: "completed", rows: { done: 250 } });
  expect(world.sandbox.requests({ status: 503 })).toHaveLength(20);
  expect(world.sandbox.requests({ status: 429 })).toHaveLength(1);
});

test("an item that is tried again is named by its line and its user", async () => {
  const [fp_id = ""] = world.sandbox.world.users.keys();
  world.sandbox.addFault({ operation: "get_user", user: fp_id, kind: "status", status: 503, id: "down" });
  const { handle } = await world.begin(roster());
  const progress = () => handle.query<BulkProgress>("progress");
  await expect.poll(async () => (await progress()).waiting_total).toBe(1);
  const { waiting } = await progress();
  expect(waiting).toEqual([expect.objectContaining({ line: 1, owner: fp_id, reason: "http_503" })]);
  world.sandbox.removeFault("down");
  expect(await handle.result()).toMatchObject({ status: "completed", rows: { done: 250 } });
  expect(await progress()).toMatchObject({ waiting: [], waiting_total: 0 });
});
