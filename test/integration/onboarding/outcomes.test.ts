import { expect, test } from "vitest";
import { NEXT_ACTIONS } from "../../../src/domain/onboarding/customer/next-action.js";
import { onboardWorlds } from "../../helpers/onboarding/onboard-worlds.js";

const worlds = onboardWorlds();
const ALWAYS = { key: "pb_kyc", outcomes: { pass: 1 }, versions: 3 } as const;
/** Long enough that no poll ends what a webhook should end. */
const NO_POLL = { pollFirst: 600_000, pollMost: 600_000 };

test("one customer: posted once, polled, outcome in the table, counts that add up", async () => {
  const world = await worlds.open({ sandbox: { playbooks: [{ ...ALWAYS, delayMs: 100 }] } });
  const batch = await world.onboard(world.users(1));
  expect(batch.summary).toMatchObject({
    batch_id: batch.batchId,
    run_id: batch.runId,
    status: "completed",
    customers: { total: 1, pass: 1, queued: 0, running: 0 },
    manual_review: 0,
    calls: 2,
  });
  expect(world.sandbox.calls().by_operation).toEqual({ create_onboarding: 1, get_onboarding: 1 });
  const [onboarding] = world.sandbox.onboardings.list();
  expect(await world.outcomes(batch)).toMatchObject([
    {
      line: 1,
      attempt: 1,
      version: 1,
      kind: "user",
      fp_id: "fp_1",
      onboarding_id: onboarding?.id,
      playbook_key: "pb_kyc",
      status: "pass",
      requires_manual_review: false,
      settled_by: "poll",
      next_action: null,
      error_message: null,
    },
  ]);
  const [run] = await world.rows("select * from runs");
  expect(run).toMatchObject({
    run_id: batch.runId,
    kind: "onboard",
    status: "completed",
    users: 1,
    calls: 2,
  });
  const phases: { readonly phase: string }[] = JSON.parse(String(run?.phases));
  expect(phases.map(({ phase }) => phase)).toEqual(["working", "finishing"]);
});

test("a synchronous time-out is pending, not a failure: the end comes later", async () => {
  const world = await worlds.open({ sandbox: { playbooks: [{ ...ALWAYS, delayMs: 1_500 }] } });
  const batch = await world.onboard(world.users(1), { mode: "sync", syncTimeoutSecs: 1 });
  expect(world.sandbox.calls().by_operation.create_onboarding).toBe(1);
  expect(await world.outcomes(batch)).toMatchObject([{ status: "pass", settled_by: "poll" }]);
});

test("what stays pending counts as done after a while, exit and all, and is followed further", async () => {
  const world = await worlds.open({
    sandbox: {
      playbooks: [{ ...ALWAYS, outcomes: { pending: 1 } }],
    },
  });
  const batch = await world.onboard(world.users(1), { timing: { decisionTimeout: 500 } });
  expect(batch.summary).toMatchObject({ status: "completed", customers: { pending: 1 } });
  expect(await world.outcomes(batch)).toMatchObject([
    { status: "pending", settled_by: null, settled_at: null, next_action: NEXT_ACTIONS.wait },
  ]);
  world.sandbox.onboardings.finish(world.sandbox.onboardings.list()[0]?.id ?? "", "fail");
  await world.untilRows("select * from onboardings where status = 'fail' and version = 2", 1);
});

test("webhook first, then poll: one outcome, and the webhook made it", async () => {
  const world = await worlds.open({ sandbox: { playbooks: [{ ...ALWAYS, delayMs: 500 }] } });
  const batch = await world.begin(world.users(1), { timing: NO_POLL });
  await world.sandbox.waitForRequests(1, { operation: "create_onboarding" });
  await world.until(batch, () => world.sandbox.onboardings.list()[0]?.status === "pass");
  const event = {
    kind: "service.onboarding.completed",
    status: "pass",
    review: false,
  } as const;
  expect(await world.tell("fp_1", event)).toBe(true);
  await batch.handle.result();
  // The workflow has ended: a second one has nobody to tell.
  expect(await world.tell("fp_1", event)).toBe(false);
  expect(await world.rows("select status, settled_by, version from onboardings")).toEqual([
    { status: "pass", settled_by: "webhook", version: 1 },
  ]);
  const events = await world.rows("select event, message_id from onboarding_events");
  expect(events).toMatchObject([{ event: "service.onboarding.completed", message_id: expect.any(String) }]);
});

test("an event that comes before our own answer is kept until there is one", async () => {
  const world = await worlds.open({
    sandbox: { playbooks: [{ ...ALWAYS, delayMs: 600_000 }] },
  });
  const release = world.sandbox.hold({ operation: "create_onboarding" }, "after");
  const batch = await world.begin(world.users(1), { timing: NO_POLL });
  await world.until(batch, () => world.sandbox.onboardings.list().length === 1);
  expect(world.sandbox.requests({ operation: "create_onboarding" })[0]?.status).toBeUndefined();
  const event = {
    kind: "service.onboarding.completed",
    status: "pass",
    review: false,
  } as const;
  expect(await world.tell("fp_1", event)).toBe(true);
  release();
  await batch.handle.result();
  expect(await world.outcomes(batch)).toMatchObject([{ status: "pass", settled_by: "webhook" }]);
});

test("a lost webhook: polls with growing waits end it", async () => {
  const world = await worlds.open({ sandbox: { playbooks: [{ ...ALWAYS, delayMs: 2_500 }] } });
  await world.onboard(world.users(1), { timing: { pollFirst: 200, pollMost: 60_000 } });
  // After 0.2, 0.6, 1.4 and 3 s; every 0.2 s it would be a dozen.
  const polls = world.sandbox.requests({ operation: "get_onboarding" }).length;
  expect(polls).toBeGreaterThanOrEqual(1);
  expect(polls).toBeLessThanOrEqual(5);
});

test("forged, repeated and stale events change nothing; an end never goes back", async () => {
  const world = await worlds.open();
  world.sandbox.playbooks.declare({ ...ALWAYS, manualReviewShare: 1 });
  const timing = { ...NO_POLL, pollPeopleMost: 600_000 };
  const batch = await world.onboard(world.users(1), { mode: "sync", timing });
  expect(batch.summary).toMatchObject({ manual_review: 1, customers: { pass: 1 } });
  await world.tell("fp_1", { messageId: "m1", status: "fail", onboardingId: "ob_of_another" });
  await world.tell("fp_1", { messageId: "m2", status: "pass", review: true });
  await world.tell("fp_1", { messageId: "m3", kind: "service.onboarding.incomplete", status: "incomplete" });
  await world.tell("fp_1", { messageId: "m3", kind: "service.onboarding.incomplete", status: "incomplete" });
  world.sandbox.onboardings.review(world.sandbox.onboardings.list()[0]?.id ?? "", "fail");
  await world.tell("fp_1", { messageId: "m4", kind: "service.user.manual_review", status: "fail" });
  await world.untilRows("select * from onboardings where version = 2", 1);
  expect(world.sandbox.calls().by_operation.get_onboarding).toBe(1);
  expect(
    await world.rows("select version, status, requires_manual_review as review from onboardings order by 1"),
  ).toEqual([
    { version: 1, status: "pass", review: true },
    { version: 2, status: "fail", review: false },
  ]);
});

test("an output that is missing at first is fetched again: a new version", async () => {
  const world = await worlds.open({
    sandbox: { playbooks: [{ ...ALWAYS, output: { risk: "low" }, outputDelayMs: 1_000 }] },
  });
  const batch = await world.onboard(world.users(1), {
    mode: "sync",
    timing: { outputRetry: 1_500 },
  });
  expect(batch.summary.customers.pass).toBe(1);
  const rows = await world.untilRows(
    "select version, output, settled_at from onboardings order by version",
    2,
  );
  expect(rows).toMatchObject([
    { version: 1, output: null },
    { version: 2, output: '{"risk":"low"}', settled_at: rows[0]?.settled_at },
  ]);
});

test("the output is encrypted unless it was asked for in the clear", async () => {
  const world = await worlds.open({ sandbox: { playbooks: [{ ...ALWAYS, output: { risk: "low" } }] } });
  await world.onboard(world.users(1), { mode: "sync", plainOutput: false });
  const [row] = await world.rows("select output from onboardings");
  expect(row?.output).toEqual(expect.any(String));
  expect(Buffer.from(String(row?.output), "base64").toString("latin1")).not.toContain("risk");
});

test("synchronous answers are the outcomes, in one batch: whatever they say, of the pinned version, with reviews that come later", async () => {
  const playbooks = [{ ...ALWAYS, output: { risk: "low" } }];
  const world = await worlds.open({ sandbox: { playbooks } });
  const rows = world.users(5);
  const script = (entity: string, outcome: object) =>
    world.sandbox.playbooks.script({ entity, outcomes: [outcome as never] });
  script("fp_2", { status: "error", error_message: "no such thing as fp_2's branch" });
  script("fp_3", { status: "none" });
  script("fp_5", { status: "pass", requires_manual_review: true });
  world.sandbox.addFault({
    kind: "wrong_body",
    operation: "create_onboarding",
    user: "fp_4",
    body: '{"id":"ob_x","status":"on_hold","requires_manual_review":false}',
  });
  const timing = { ...NO_POLL, pollPeopleMost: 600_000 };
  const batch = await world.onboard(rows, { mode: "sync", playbook: "pb_kyc:v2", timing });
  expect(batch.summary).toMatchObject({
    status: "completed_with_failures",
    customers: { total: 5, pass: 2, error: 1, none: 2 },
    manual_review: 1,
  });
  expect(world.sandbox.calls().by_operation).toEqual({ create_onboarding: 5, get_onboarding: 2 });
  expect(world.sandbox.onboardings.of("fp_1")[0]?.playbook_version).toBe(2);
  const pinned = { playbook_key: "pb_kyc", playbook_version: 2 };
  expect(await world.outcomes(batch)).toMatchObject([
    { ...pinned, status: "pass", settled_by: "sync", output: '{"risk":"low"}', next_action: null },
    {
      status: "error",
      error_class: "OnboardingConfigError",
      error_message: "no such thing as fp_2's branch",
    },
    { status: "none", next_action: NEXT_ACTIONS.decide },
    { status: "on_hold", next_action: NEXT_ACTIONS.decide },
    { status: "pass", next_action: NEXT_ACTIONS.review, settled_at: expect.any(String) },
  ]);
  // Another version that ran is flagged.
  await world.tell("fp_5", { kind: "service.user.manual_review", playbookVersion: 3 });
  const [other] = await world.untilRows("select * from onboardings where version = 2", 1);
  expect(other).toMatchObject({
    playbook_version: 3,
    next_action: expect.stringContaining(NEXT_ACTIONS.version),
  });
});

test("rows in manual review don't hold the batch up; the decision is a new version", async () => {
  const world = await worlds.open({ sandbox: { playbooks: [{ ...ALWAYS, manualReviewShare: 1 }] } });
  const batch = await world.onboard(world.users(2), { mode: "sync" });
  expect(batch.summary).toMatchObject({ status: "completed", manual_review: 2, customers: { pass: 2 } });
  world.sandbox.onboardings.review(world.sandbox.onboardings.of("fp_2")[0]?.id ?? "", "pass");
  await world.untilRows("select * from onboardings where version = 2", 1);
  const [, second] = await world.outcomes(batch);
  expect(second).toMatchObject({ status: "pass", requires_manual_review: false, next_action: null });
});
