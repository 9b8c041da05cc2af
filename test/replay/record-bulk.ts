import { afterAll, beforeAll, expect, test } from "vitest";
import { cipJob } from "../../src/jobs/cip.js";
import { openBulkWorld } from "../helpers/bulk/bulk-harness.js";
import { userFieldsJob } from "../helpers/bulk/user-fields-job.js";
import { recordHistory } from "../helpers/temporal/replay-histories.js";
import { startTestTemporal, type TestTemporal } from "../helpers/temporal/temporal-environment.js";

let temporal: TestTemporal;
beforeAll(async () => {
  temporal = await startTestTemporal();
});
afterAll(() => temporal?.stop());

const population = { kind: "synthetic", users: 250, linksPerUser: 0, accountsPerLink: 0, rows: 0 } as const;

test("a bulk job whose rows wait, fail and are done, and one that is cancelled", async () => {
  const world = await openBulkWorld(temporal, userFieldsJob, { sandbox: { population }, direct: true });
  try {
    const rows = [...world.sandbox.world.users.keys(), "fp_nobody"].map((fp_id) => ({ fp_id }));
    world.sandbox.addFault({ operation: "get_user", kind: "status", status: 503, times: 5 });
    const troubled = await world.begin(rows);
    expect(await troubled.handle.result()).toMatchObject({ status: "completed_with_failures" });
    await recordHistory(world.client, "bulk-job", troubled.handle.workflowId);
    const last = rows.at(-2)?.fp_id ?? "";
    const release = world.sandbox.hold({ user: last });
    const cancelled = await world.begin(rows.slice(0, -1));
    await expect
      .poll(() => world.sandbox.requests({ operation: "get_user" }).length)
      .toBeGreaterThan(rows.length + 50);
    await cancelled.handle.cancel();
    release();
    expect(await cancelled.handle.result()).toMatchObject({ status: "cancelled" });
    await recordHistory(world.client, "bulk-job-cancelled", cancelled.handle.workflowId);
  } finally {
    await world.close();
  }
});

test("a bulk job that publishes a pack", async () => {
  const world = await openBulkWorld(temporal, cipJob, { sandbox: { population }, direct: true });
  try {
    const rows = [...world.sandbox.world.users.keys()].map((fp_id) => ({ fp_id }));
    const { handle } = await world.begin(rows, { approver: "ops@bank.example" });
    expect(await handle.result()).toMatchObject({ status: "completed" });
    await recordHistory(world.client, "bulk-job-pack", handle.workflowId);
  } finally {
    await world.close();
  }
});
