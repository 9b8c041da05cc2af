import { expect, test } from "vitest";
import { planCustomers } from "../../../../src/activities/onboarding/batch/plan-customers.js";
import { recordOutcomes } from "../../../../src/activities/onboarding/record-outcomes.js";
import { StagingLostError } from "../../../../src/domain/failures.js";
import type { CustomerRow } from "../../../../src/domain/onboarding/customer.js";
import type { Outcome } from "../../../../src/domain/onboarding/outcome.js";
import { earlierOutcomes } from "../../../../src/lake/onboarding/earlier-outcomes.js";
import { keptOutcome } from "../../../../src/lake/onboarding/frozen-batch.js";
import { readTables } from "../../../../src/lake/query/query-views.js";
import { onboardingEvents } from "../../../../src/lake/tables/onboardings.js";
import { eachTest } from "../../../helpers/each-test.js";
import {
  customer,
  freezeCustomers,
  outcomeOf,
  wrongRow,
} from "../../../helpers/onboarding/onboarding-batch.js";
import { openActivityBench } from "../../../helpers/temporal/activity-bench.js";

const bench = eachTest(openActivityBench);

const INPUT = {
  runId: "again",
  plainOutput: false,
  only: null as readonly number[] | null,
  retry: false,
  cancel: false,
};
const plan = (batchId: string, from: number, to: number, change: Partial<typeof INPUT> = {}) =>
  bench.run(() => planCustomers(bench.deps, { ...INPUT, ...change, batchId, from, to }));
const first = (line: number, version = 1) => ({ line, attempt: 1, version });

async function record(batchId: string, ...rows: readonly Outcome[]): Promise<void> {
  for (const row of rows) await keptOutcome(bench.deps.sealed, batchId, row).put(row);
  await bench.run(() =>
    recordOutcomes(
      bench.deps,
      rows.map((outcome) => ({ run: { batchId, runId: "run", plainOutput: false }, outcome })),
    ),
  );
}

/** The latest outcome of a line, as the table has it. */
async function written(batchId: string, line: number) {
  const lines = { from: line, to: line };
  const { own } = await bench.run(() => earlierOutcomes(bench.deps.lake, batchId, lines, []));
  return own.get(line);
}

const three = [customer(2), customer(3, { fpId: null, externalId: "c-3" }), customer(4)];

test("rows that nothing is known of run; a wrong one gets its outcome", async () => {
  const batchId = await freezeCustomers(bench.deps.batches, [...three, wrongRow(5)]);
  const { run, ended } = await plan(batchId, 0, 4);
  expect(run.map(({ line, attempt }) => [line, attempt])).toEqual([
    [2, 1],
    [3, 1],
    [4, 1],
  ]);
  expect(run[0]).toMatchObject({ row: 0, prepare: false, open: null, retry: false, before: null });
  expect(run[0]?.key).toMatch(/^pb_1\/[0-9a-f]{32}$/);
  expect(ended).toEqual([{ status: "invalid", review: false }]);
  expect(await written(batchId, 5)).toMatchObject({
    status: "invalid",
    external_id: "c-5",
    fp_id: null,
    error_class: "InputError",
    error_message: "fp_id: is blank",
  });
  expect(await plan(batchId, 2, 3)).toEqual({ run: [run[2]], ended: [] });
});

test("the same batch again keeps every outcome that it has, the latest of each row", async () => {
  const batchId = await freezeCustomers(bench.deps.batches, [...three, wrongRow(5)]);
  const [a, b] = three as [CustomerRow, CustomerRow];
  await plan(batchId, 0, 4);
  await record(batchId, outcomeOf(a, { status: "error" }), outcomeOf(b, { requires_manual_review: true }));
  await record(batchId, outcomeOf(a, { attempt: 2, status: "pending" }));
  await record(batchId, outcomeOf(b, { version: 2, status: "fail" }));
  const open = { onboardingId: "ob_2", status: "pending", review: false, version: 1 };
  expect(await plan(batchId, 0, 4)).toMatchObject({
    run: [
      { line: 2, attempt: 2, open },
      { line: 4, attempt: 1, open: null },
    ],
    ended: [{ status: "fail", review: false }, { status: "invalid" }],
  });
});

test("of outcomes whose staging is gone, those that may change are staged again as the table has them", async () => {
  const batchId = await freezeCustomers(bench.deps.batches, three);
  const [a, b] = three as [CustomerRow, CustomerRow];
  const output = '{"score":7}';
  const open = { version: 2, status: "needs_customer", output, events: [] };
  await record(batchId, outcomeOf(a, open), outcomeOf(b));
  await bench.deps.sealed.deletePrefix(`_staging/${batchId}/`);
  await freezeCustomers(bench.deps.batches, three);
  expect(await plan(batchId, 0, 2)).toMatchObject({
    run: [{ line: 2, open: { status: "needs_customer", version: 2 } }],
    ended: [{ status: "pass" }],
  });
  const staged = await keptOutcome(bench.deps.sealed, batchId, first(2, 2)).require();
  const { events: _, started_at, settled_at, ...values } = outcomeOf(a, open);
  const instant = (at: string | null) => at?.replace("Z", "000Z");
  expect(staged).toEqual({ ...values, started_at: instant(started_at), settled_at: instant(settled_at) });
  await expect(keptOutcome(bench.deps.sealed, batchId, first(3)).require()).rejects.toBeInstanceOf(
    StagingLostError,
  );
});

test("a changed file runs the changed row alone; the others' outcomes become its own, output and all", async () => {
  const before = await freezeCustomers(bench.deps.batches, three);
  const [a, b, c] = three as [CustomerRow, CustomerRow, CustomerRow];
  const output = '{"score":7}';
  await record(before, outcomeOf(a, { output }), outcomeOf(b, { status: "failed", onboarding_id: null }));
  await record(before, outcomeOf(c));
  await record(before, outcomeOf(a, { version: 2, status: "fail", output, settled_by: "webhook" }));
  // A line in front: every line moves, and one customer's data is another.
  const moved = three.map((one) => ({ ...one, line: one.line + 1 }));
  const batchId = await freezeCustomers(bench.deps.batches, [
    ...moved.slice(0, 2),
    { ...moved[2]!, vault: { "custom.a": 1 } },
  ]);
  expect(batchId).not.toBe(before);
  expect(await plan(batchId, 0, 3)).toMatchObject({
    run: [{ line: 5, attempt: 1, prepare: true, open: null }],
    ended: [{ status: "fail" }, { status: "failed" }],
  });
  const adopted = await written(batchId, 3);
  expect(adopted).toMatchObject({ settled_by: "webhook", fp_id: "fp_2", status: "fail" });
  const sealed = bench.deps.sealed.sealer.open(
    Buffer.from(adopted?.output ?? "", "base64"),
    "onboardings.output",
  );
  expect(String(Buffer.from(sealed))).toBe(output);
  const sql = "select event, status, detail from onboarding_events where batch_id = $1 and line = 3";
  expect(await readTables(bench.deps.lake, [onboardingEvents], (read) => read.rows(sql, [batchId]))).toEqual([
    { event: "adopted", status: "fail", detail: `from ${before}, line 2, attempt 1` },
  ]);
  expect((await plan(batchId, 0, 1)).ended).toMatchObject([{ status: "fail" }]);
});

test("another batch's outcome that may change is written, and followed from then on", async () => {
  const before = await freezeCustomers(bench.deps.batches, three);
  await record(before, outcomeOf(three[0]!, { version: 2, status: "pending" }));
  const moved = three.map((one) => ({ ...one, line: one.line + 1 }));
  const batchId = await freezeCustomers(bench.deps.batches, moved);
  expect(await plan(batchId, 0, 1)).toMatchObject({
    run: [{ line: 3, open: { onboardingId: "ob_2", status: "pending", version: 1 } }],
    ended: [],
  });
});

test("a row cancelled before its POST runs again, under the next attempt; one with a POST does not", async () => {
  const batchId = await freezeCustomers(bench.deps.batches, three);
  const [a, b] = three as [CustomerRow, CustomerRow];
  const cancelled = { status: "cancelled", settled_by: null, settled_at: null } as const;
  await record(batchId, outcomeOf(a, { ...cancelled, onboarding_id: null }), outcomeOf(b, cancelled));
  expect(await plan(batchId, 0, 2)).toMatchObject({
    run: [{ line: 2, attempt: 2 }],
    ended: [{ status: "cancelled" }],
  });
});

test("a cancelled batch gives the rows that it is asked for their outcome, and no others", async () => {
  const batchId = await freezeCustomers(bench.deps.batches, three);
  expect(await plan(batchId, 0, 3, { cancel: true, only: [1] })).toEqual({
    run: [],
    ended: [{ status: "cancelled", review: null }],
  });
});

test("a retry runs what failed as a new attempt, after the onboarding of the one before", async () => {
  const batchId = await freezeCustomers(bench.deps.batches, three);
  const [a, b, c] = three as [CustomerRow, CustomerRow, CustomerRow];
  await record(batchId, outcomeOf(a, { status: "error" }), outcomeOf(b, { status: "none" }), outcomeOf(c));
  const { run, ended } = await plan(batchId, 0, 3, { retry: true });
  expect(run).toMatchObject([{ line: 2, attempt: 2, retry: true, before: "ob_2" }]);
  // Known by its external id alone, which has given an onboarding.
  const record2 = { line: 3, attempt: 2, version: 1 };
  expect(ended).toEqual([
    { status: "failed", review: null },
    { status: "pass", review: false },
  ]);
  expect(await keptOutcome(bench.deps.sealed, batchId, record2).require()).toMatchObject({
    next_action: "needs fp_id",
  });
});

test.for([
  ["cancelled", { cancel: true }, { status: "cancelled", attempt: 1 }],
  ["retried without an fp_id", { retry: true }, { status: "failed", attempt: 2 }],
] as const)(
  "a plan that is repeated after it was written leaves its outcomes as they are: %s",
  async ([, how, last]) => {
    const batchId = await freezeCustomers(bench.deps.batches, three);
    const known = three[1] as CustomerRow;
    if (last.attempt === 2) await record(batchId, outcomeOf(known, { status: "none" }));
    const before = await plan(batchId, 1, 2, how);
    expect(await plan(batchId, 1, 2, how)).toEqual(before);
    expect(await written(batchId, 3)).toMatchObject(last);
  },
);

test("the key of a row holds playbook, version and mode: another one runs it", async () => {
  const before = await freezeCustomers(bench.deps.batches, three);
  await record(before, ...three.map((one) => outcomeOf(one)));
  for (const purpose of [
    { playbook: "pb_1:v4", mode: "async", service: "" },
    { playbook: "pb_1:v3", mode: "sync", service: "" },
  ] as const) {
    const other = await freezeCustomers(bench.deps.batches, three, purpose);
    expect((await plan(other, 0, 3)).run.map(({ line }) => line)).toEqual([2, 3, 4]);
  }
});

test("what goes into a history holds neither data nor ids of a person", async () => {
  const planted = customer(2, {
    fpId: null,
    externalId: "PLANTED-id",
    vault: {},
    prerequisiteData: { a: "PLANTED" },
  });
  const batchId = await freezeCustomers(bench.deps.batches, [planted]);
  await record(batchId, outcomeOf(planted, { output: '{"a":"PLANTED"}', error_message: "PLANTED" }));
  const other = await freezeCustomers(bench.deps.batches, [{ ...planted, line: 9 }]);
  for (const given of [await plan(batchId, 0, 1), await plan(other, 0, 1)]) {
    expect(given.ended).toMatchObject([{ status: "pass" }]);
    expect(JSON.stringify(given)).not.toContain("PLANTED");
  }
});
