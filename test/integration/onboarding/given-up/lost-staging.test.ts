import { rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { OnboardSummary } from "../../../../src/domain/onboarding/batch/batch-totals.js";
import type { OnboardWorld } from "../../../helpers/onboarding/onboard-harness.js";
import { onboardWorlds } from "../../../helpers/onboarding/onboard-worlds.js";

const worlds = onboardWorlds();
const PENDING = { playbooks: [{ key: "pb_kyc", outcomes: { pass: 1 }, delayMs: 600_000 }] } as const;
type Batch = Awaited<ReturnType<OnboardWorld["begin"]>>;
type World = OnboardWorld;

const posted = (world: World, batch: Batch, count: number) =>
  world.until(batch, () => world.sandbox.onboardings.list().length === count);
const finish = (world: World, fpId: string) =>
  world.sandbox.onboardings.finish(world.sandbox.onboardings.of(fpId).at(-1)?.id ?? "", "pass");
// A worker that writes meanwhile makes a directory that was empty a moment ago one that is not.
const drop = (world: World, ...path: string[]) =>
  rm(join(world.lake, "_staging", ...path), { recursive: true, maxRetries: 20 });

async function expectLost(batch: Batch): Promise<void> {
  const ended = await batch.handle.result().catch((error: unknown) => error);
  expect(JSON.stringify(ended, causes)).toMatch(
    /"failed".*"staging_lost".*_staging\/onb_.* is gone from the lake's staging area; start the job again/,
  );
}

/** Errors with what caused them, whose fields JSON leaves out. */
function causes(_: string, value: unknown): unknown {
  if (!(value instanceof Error)) return value;
  const { message, cause } = value;
  return { type: (value as { type?: string }).type, message, cause };
}

test("staging deleted under a batch ends it at once; the same command completes it and posts nothing twice", async () => {
  const world = await worlds.open({ sandbox: PENDING });
  const rows = world.users(6);
  world.sandbox.playbooks.script({ entity: "fp_1", outcomes: [{ status: "pass", delayMs: 0 }] });
  world.sandbox.playbooks.script({ entity: "fp_2", outcomes: [{ status: "incomplete", delayMs: 0 }] });
  const batch = await world.begin(rows);
  await posted(world, batch, 6);
  await world.untilRows("select * from onboardings", 2);
  await drop(world, batch.batchId);
  // The others are pending, and would be waited for for minutes.
  finish(world, "fp_3");
  await expectLost(batch);

  const again = await world.begin(rows);
  expect(again).toMatchObject({ joined: false, batchId: batch.batchId });
  for (const fpId of ["fp_4", "fp_5", "fp_6"]) finish(world, fpId);
  const summary = (await again.handle.result()) as OnboardSummary;
  expect(summary).toMatchObject({
    status: "completed",
    customers: { total: 6, pass: 5, needs_customer: 1 },
  });
  // An outcome that the table alone had by then gets its next version.
  finish(world, "fp_2");
  await world.untilRows("select * from onboardings where fp_id = 'fp_2' and status = 'pass'", 1);
  expect((await world.outcomes(batch)).map(({ status, attempt }) => [status, Number(attempt)])).toEqual(
    Array(6).fill(["pass", 1]),
  );
  expect(world.sandbox.onboardings.list()).toHaveLength(6);
});

test("with the calls gone too, the tables and the external id keep a row from being posted twice", async () => {
  const world = await worlds.open({ sandbox: PENDING });
  const [row] = world.users(1);
  world.sandbox.addUser({ fp_id: "fp_9", external_id: "c-9" });
  const rows = [row ?? {}, { external_id: "c-9" }];
  world.sandbox.playbooks.script({ entity: "fp_1", outcomes: [{ status: "pass", delayMs: 0 }] });
  // The open rows are gone too, so that only their silence is left.
  const batch = await world.begin(rows, { timing: { reportTimeout: 3_000 } });
  await posted(world, batch, 2);
  await world.untilRows("select * from onboardings", 1);
  await drop(world);
  finish(world, "fp_9");
  await expectLost(batch);

  const { summary } = await world.onboard(rows);
  expect(summary).toMatchObject({ status: "completed", customers: { total: 2, pass: 2 } });
  expect(world.sandbox.onboardings.list()).toHaveLength(2);
});
