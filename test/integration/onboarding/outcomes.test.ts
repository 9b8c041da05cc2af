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
    // The first posts of a lake look once at what lists show.
    calls: 3,
  });
  const calls = { create_onboarding: 1, list_user_onboardings: 1, get_onboarding: 1 };
  expect(world.sandbox.calls().by_operation).toEqual(calls);
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
    calls: 3,
  });
  const phases: { readonly phase: string }[] = JSON.parse(String(run?.phases));
  expect(phases.map(({ phase }) => phase)).toEqual(["working", "finishing"]);
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
  expect(world.sandbox.calls().by_operation).toEqual({ create_onboarding: 5, list_user_onboardings: 1 });
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
