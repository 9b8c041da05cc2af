import { expect, test } from "vitest";
import type { OnboardSummary } from "../../../src/domain/onboarding/batch/batch-totals.js";
import { NEXT_ACTIONS } from "../../../src/domain/onboarding/customer/next-action.js";
import { BATCH_SIGNALS } from "../../../src/domain/onboarding/messages.js";
import type { OnboardWorld } from "../../helpers/onboarding/onboard-harness.js";
import { onboardWorlds } from "../../helpers/onboarding/onboard-worlds.js";

const worlds = onboardWorlds();
const LONG = { key: "pb_kyc", outcomes: { pass: 1 }, delayMs: 600_000 } as const;
const opened = (playbook: object) => worlds.open({ sandbox: { playbooks: [playbook as never] } });
type Batch = Awaited<ReturnType<OnboardWorld["begin"]>>;
const ended = ({ handle }: Batch) => handle.result() as Promise<OnboardSummary>;
const cancel = ({ handle }: Batch) => handle.signal(BATCH_SIGNALS.cancel, null);
const posts = (world: OnboardWorld) => world.sandbox.calls().by_operation.create_onboarding ?? 0;

const refused = (batchId: string) => ({
  status: "cancelled",
  onboarding_id: null,
  error_message: `this customer is in batch ${batchId}; run the same command again`,
  next_action: NEXT_ACTIONS.cancelled,
});

test("a customer in work in another batch is cancelled in this one, and run by the same command later", async () => {
  const world = await opened(LONG);
  const [same, changed] = world.users(2);
  const first = await world.begin([same!, changed!]);
  await world.until(first, () => world.sandbox.onboardings.list().length === 2);
  const rows = [same!, { ...changed!, "data.source": "web" }];
  const second = await world.onboard(rows);
  expect(second.summary).toMatchObject({
    status: "completed_with_failures",
    reason: "some_failed",
    message: "2 customers in work in another batch",
    customers: { total: 2, cancelled: 2 },
  });
  expect(await world.outcomes(second)).toMatchObject(Array(2).fill(refused(first.batchId)));
  expect(posts(world)).toBe(2);
  for (const { id } of world.sandbox.onboardings.list()) world.sandbox.onboardings.finish(id, "pass");
  expect(await ended(first)).toMatchObject({ customers: { pass: 2 } });
  world.sandbox.playbooks.declare({ ...LONG, delayMs: 0 });
  const again = await world.onboard(rows);
  expect(again).toMatchObject({ batchId: second.batchId, summary: { customers: { pass: 2, cancelled: 0 } } });
  expect(await world.outcomes(again)).toMatchObject([
    { attempt: 2, onboarding_id: world.sandbox.onboardings.of("fp_1")[0]?.id },
    { attempt: 2, onboarding_id: world.sandbox.onboardings.of("fp_2")[1]?.id },
  ]);
  expect(posts(world)).toBe(3);
});

test("a batch runs the rows of another one that was cancelled before it posted them", async () => {
  const world = await opened({ ...LONG, delayMs: 0 });
  const [row, more] = world.users(2, () => ({ "vault.id.first_name": "Ada" }));
  const fault = world.sandbox.addFault({ kind: "status", status: 503, operation: "update_vault" });
  const first = await world.begin([row!, more!]);
  await world.until(first, ({ customers }) => customers.running === 2);
  expect((await world.onboard([row!])).summary).toMatchObject({ customers: { cancelled: 1 } });
  await cancel(first);
  expect(await ended(first)).toMatchObject({ status: "cancelled", customers: { cancelled: 2 } });
  world.sandbox.removeFault(fault);
  expect((await world.onboard([row!])).summary).toMatchObject({
    status: "completed",
    customers: { pass: 1 },
  });
  expect(posts(world)).toBe(1);
});

test("a row that waits for people is taken over by the same row of another batch, which a cancel of the first leaves open", async () => {
  const world = await opened(LONG);
  world.users(2);
  world.sandbox.playbooks.script({ entity: "fp_1", outcomes: [{ status: "incomplete", delayMs: 0 }] });
  const first = await world.begin([{ fp_id: "fp_1" }, { fp_id: "fp_2" }]);
  await world.until(first, ({ customers }) => customers.needs_customer === 1);
  const second = await world.onboard([{ fp_id: "fp_1" }]);
  expect(second.summary.customers).toMatchObject({ needs_customer: 1 });
  await cancel(first);
  expect(await ended(first)).toMatchObject({ customers: { needs_customer: 1, pending: 1 } });
  world.sandbox.onboardings.finish(world.sandbox.onboardings.of("fp_1")[0]?.id ?? "", "pass");
  await world.untilOpen("fp_1", (one) => one === undefined);
  expect(await world.outcomes(second)).toMatchObject([{ status: "pass", line: 1 }]);
  expect(await world.outcomes(first)).toMatchObject([
    { version: 1, status: "needs_customer" },
    { status: "pending" },
  ]);
  expect(posts(world)).toBe(2);
});
