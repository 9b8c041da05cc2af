import { rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { NEXT_ACTIONS } from "../../../src/domain/onboarding/customer/next-action.js";
import { followWorkflowId } from "../../../src/domain/onboarding/identity.js";
import { onboardWorlds } from "../../helpers/onboarding/onboard-worlds.js";

const worlds = onboardWorlds();
const PLAYBOOKS = { sandbox: { playbooks: [{ key: "pb_kyc", outcomes: { pass: 1 } }] } };
const SYNC = { mode: "sync" } as const;

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
    { status: "error", next_action: NEXT_ACTIONS.failed },
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
