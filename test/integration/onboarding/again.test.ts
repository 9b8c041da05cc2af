import { rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { NEXT_ACTIONS } from "../../../src/domain/onboarding/customer/next-action.js";
import { followWorkflowId } from "../../../src/domain/onboarding/identity.js";
import { onboardWorlds } from "../../helpers/onboarding/onboard-worlds.js";

const worlds = onboardWorlds();
const PLAYBOOKS = { sandbox: { playbooks: [{ key: "pb_kyc", outcomes: { pass: 1 } }] } };
const SYNC = { mode: "sync" } as const;

test("the same file again: the same batch, nothing posted, the same counts", async () => {
  const world = await worlds.open(PLAYBOOKS);
  const rows = world.users(5);
  const first = await world.onboard(rows, SYNC);
  world.sandbox.clearRequests();
  const second = await world.onboard(rows, SYNC);
  expect(second.batchId).toBe(first.batchId);
  expect(second.runId).not.toBe(first.runId);
  expect(second.summary).toMatchObject({ status: "completed", customers: { total: 5, pass: 5 }, calls: 0 });
  expect(world.sandbox.calls().total).toBe(0);
  expect(await world.rows("select * from onboardings")).toHaveLength(5);
});

test("a file with one changed row: another batch, one request; the rest is reused", async () => {
  const world = await worlds.open(PLAYBOOKS);
  const rows = world.users(4, (n) => ({ "data.source": `s${n}` }));
  await world.onboard(rows, SYNC);
  world.sandbox.clearRequests();
  const changed = rows.map((row, at) => (at === 2 ? { ...row, "data.source": "new" } : row));
  const batch = await world.onboard(changed, SYNC);
  expect(world.sandbox.calls().by_operation).toEqual({ create_onboarding: 1 });
  expect(world.sandbox.requests()[0]?.user).toBe("fp_3");
  expect(batch.summary.customers).toMatchObject({ total: 4, pass: 4 });
  const events = await world.rows(
    `select line, event from onboarding_events where batch_id = '${batch.batchId}' order by line`,
  );
  expect(events.map(({ event }) => event)).toEqual(["adopted", "adopted", "recorded", "adopted"]);
});

test("runs retry runs what failed as a new attempt; earlier attempts stay", async () => {
  const world = await worlds.open(PLAYBOOKS);
  const rows = world.users(4);
  world.sandbox.playbooks.script({
    entity: "fp_2",
    outcomes: [{ status: "error", error_message: "x" }, { status: "pass" }],
  });
  world.sandbox.addFault({
    kind: "status",
    status: 422,
    operation: "create_onboarding",
    user: "fp_3",
    times: 1,
  });
  const first = await world.onboard(rows, SYNC);
  expect(first.summary).toMatchObject({
    status: "completed_with_failures",
    customers: { pass: 2, error: 1, failed: 1 },
  });
  expect(await world.outcomes(first)).toMatchObject([
    { status: "pass" },
    { status: "error", next_action: NEXT_ACTIONS.retry },
    { status: "failed", error_class: "RejectedError", next_action: NEXT_ACTIONS.refused },
    { status: "pass" },
  ]);
  world.sandbox.clearRequests();
  const again = await world.onboard(rows, { ...SYNC, retry: true });
  expect(again.summary).toMatchObject({ status: "completed", customers: { total: 4, pass: 4 } });
  expect(
    world.sandbox
      .requests({ operation: "create_onboarding" })
      .map(({ user }) => user)
      .sort(),
  ).toEqual(["fp_2", "fp_3"]);
  const attempts = await world.rows("select line, attempt, status from onboardings order by line, attempt");
  expect(attempts).toEqual([
    { line: 1, attempt: 1, status: "pass" },
    { line: 2, attempt: 1, status: "error" },
    { line: 2, attempt: 2, status: "pass" },
    { line: 3, attempt: 1, status: "failed" },
    { line: 3, attempt: 2, status: "pass" },
    { line: 4, attempt: 1, status: "pass" },
  ]);
  expect(world.sandbox.onboardings.of("fp_2")).toHaveLength(2);
});

test("a row known by its external id alone can't be run a second time", async () => {
  const world = await worlds.open(PLAYBOOKS);
  world.sandbox.addUser({ fp_id: "fp_1", external_id: "c-1" });
  world.sandbox.playbooks.script({ entity: "fp_1", outcomes: [{ status: "error", error_message: "x" }] });
  const rows = [{ external_id: "c-1" }];
  await world.onboard(rows, SYNC);
  world.sandbox.clearRequests();
  const again = await world.onboard(rows, { ...SYNC, retry: true });
  expect(world.sandbox.calls().total).toBe(0);
  expect(again.summary.customers).toMatchObject({ failed: 1 });
  expect(await world.outcomes(again)).toMatchObject([
    { attempt: 2, status: "failed", next_action: "needs fp_id" },
  ]);
});

test("a row by its external id whose onboarding no answer told of is sent once more, and made once", async () => {
  const world = await worlds.open(PLAYBOOKS);
  const rows = ["c-1", "c-2", "c-3"].map((external_id) => ({ external_id }));
  for (const [at, { external_id }] of rows.entries()) {
    world.sandbox.addUser({ fp_id: `fp_${at + 1}`, external_id });
  }
  const answer = { operation: "create_onboarding", times: 1 } as const;
  world.sandbox.addFault({ ...answer, kind: "status", status: 422, user: "fp_1" });
  world.sandbox.addFault({ ...answer, kind: "wrong_body", body: "[]", user: "fp_2" });
  world.sandbox.addFault({ ...answer, kind: "wrong_body", contentType: "text/html", user: "fp_3" });
  const first = await world.onboard(rows, SYNC);
  expect(await world.outcomes(first)).toMatchObject([
    { status: "failed", error_class: "RejectedError" },
    { status: "failed", error_class: "SchemaError" },
    { status: "pass" },
  ]);
  const again = await world.onboard(rows, { ...SYNC, retry: true });
  expect(await world.outcomes(again)).toMatchObject([
    { attempt: 2, status: "pass", next_action: null },
    { attempt: 2, status: "pass", next_action: null },
    { attempt: 1, status: "pass" },
  ]);
  const made = ["fp_1", "fp_2", "fp_3"].map((fp_id) => world.sandbox.onboardings.of(fp_id).length);
  expect(made).toEqual([1, 1, 1]);
});

test("a business known by its first data, whose answer was lost, is run again by its fp_bid only", async () => {
  const world = await worlds.open({
    sandbox: { playbooks: [{ key: "pb_kyc", kind: "kyb", outcomes: { pass: 1 } }] },
  });
  world.sandbox.addFault({ kind: "wrong_body", body: "[]", operation: "create_business", times: 1 });
  const rows = [{ kind: "business", "vault.business.name": "Acme" }];
  const first = await world.onboard(rows);
  const lost = { status: "failed", next_action: NEXT_ACTIONS.needsFpBid };
  expect(await world.outcomes(first)).toMatchObject([lost]);
  await world.onboard(rows, { retry: true });
  expect(await world.outcomes(first)).toMatchObject([
    { ...lost, attempt: 2, error_class: "LostAnswerError" },
  ]);
  expect(world.sandbox.calls().by_operation).toEqual({ create_business: 1 });
});

test("another row of a customer takes over from one that waits for people", async () => {
  const world = await worlds.open({
    sandbox: { playbooks: [{ key: "pb_kyc", outcomes: { incomplete: 1 } }] },
  });
  const [one] = world.users(1);
  const first = await world.onboard([one!]);
  expect(first.summary.customers).toMatchObject({ needs_customer: 1 });
  world.sandbox.playbooks.declare({ key: "pb_kyc", outcomes: { pass: 1 } });
  const second = await world.onboard([{ ...one, "data.source": "web" }]);
  expect(second.summary.customers).toMatchObject({ pass: 1 });
  expect(world.sandbox.onboardings.of("fp_1").map(({ status }) => status)).toEqual(["incomplete", "pass"]);
});

test("the same command again takes up customers who are waited for, and posts nothing", async () => {
  const world = await worlds.open({
    sandbox: { playbooks: [{ key: "pb_kyc", outcomes: { incomplete: 1 } }] },
  });
  const rows = world.users(2);
  const first = await world.onboard(rows);
  const [waits] = await world.rows("select count(*) as n from onboardings where status = 'needs_customer'");
  expect(Number(waits?.n)).toBe(2);
  // Open rows are lost, and Temporal's memory of them.
  await world.client.workflow.getHandle(followWorkflowId(world.scope)).terminate("lost");
  await rm(join(world.lake, "_staging", "follow"), { recursive: true });
  const second = await world.onboard(rows);
  expect(second.summary.customers).toMatchObject({ total: 2, needs_customer: 2 });
  expect(world.sandbox.calls().by_operation.create_onboarding).toBe(2);
  for (const { id } of world.sandbox.onboardings.list()) world.sandbox.onboardings.finish(id, "pass");
  await world.untilRows("select * from onboardings where status = 'pass'", 2);
  expect(await world.outcomes(first)).toMatchObject([{ status: "pass" }, { status: "pass" }]);
});
