import { afterEach, beforeEach, expect, test } from "vitest";
import { findEarlier } from "../../../../src/activities/onboarding/batch/find-earlier.js";
import { recordOutcomes } from "../../../../src/activities/onboarding/record-outcomes.js";
import type { CustomerRow } from "../../../../src/domain/onboarding/customer.js";
import type { Outcome } from "../../../../src/domain/onboarding/outcome.js";
import { getOutcome, putOutcome } from "../../../../src/lake/onboarding/staged-outcomes.js";
import { StagingLostError } from "../../../../src/lake/staging-lost-error.js";
import {
  customer,
  freezeCustomers,
  outcomeOf,
  wrongRow,
} from "../../../helpers/onboarding/onboarding-batch.js";
import { type ActivityBench, openActivityBench } from "../../../helpers/temporal/activity-bench.js";

let bench: ActivityBench;
let chunk = 0;
beforeEach(async () => {
  bench = await openActivityBench();
});
afterEach(() => bench.close());

const find = async (batchId: string, from: number, to: number) =>
  (await bench.run(() => findEarlier(bench.deps, { batchId, from, to }))).rows;

async function record(batchId: string, ...rows: readonly Outcome[]): Promise<void> {
  for (const row of rows) await putOutcome(bench.deps.sealed, batchId, row);
  chunk += 1;
  const input = { batchId, runId: "run", chunk: String(chunk), plainOutput: false, rows };
  await bench.run(() => recordOutcomes(bench.deps, input));
}

const three = [customer(2), customer(3, { fpId: null, externalId: "c-3" }), customer(4)];

test("rows that nothing is known of run; a wrong one gets its outcome", async () => {
  const batchId = await freezeCustomers(bench.deps.batches, [...three, wrongRow(5)]);
  const rows = await find(batchId, 0, 4);
  expect(rows.map(({ line, state, attempt }) => [line, state, attempt])).toEqual([
    [2, "run", 1],
    [3, "run", 1],
    [4, "run", 1],
    [5, "invalid", 1],
  ]);
  expect(rows.map(({ byExternalId }) => byExternalId)).toEqual([false, true, false, false]);
  expect(rows[0]?.identityHash).toMatch(/^[0-9a-f]{32}$/);
  expect(rows[3]).toMatchObject({ row: 3, identityHash: null, status: "invalid", onboardingId: null });
  expect(await getOutcome(bench.deps.sealed, batchId, { line: 5, attempt: 1, version: 1 })).toMatchObject({
    status: "invalid",
    external_id: "c-5",
    fp_id: null,
    error_class: "InputError",
    error_message: "fp_id: is blank",
  });
  expect(await find(batchId, 2, 3)).toEqual([rows[2]]);
});

test("the same batch again keeps every outcome that it has, the latest of each row", async () => {
  const batchId = await freezeCustomers(bench.deps.batches, [...three, wrongRow(5)]);
  const [a, b] = three as [CustomerRow, CustomerRow];
  await find(batchId, 0, 4);
  await record(
    batchId,
    outcomeOf(a, 0, { status: "error" }),
    outcomeOf(b, 1, { requires_manual_review: true }),
  );
  await record(batchId, outcomeOf(a, 0, { attempt: 2, status: "pending" }));
  await record(batchId, outcomeOf(b, 1, { version: 2, status: "fail" }));
  await record(batchId, await getOutcome(bench.deps.sealed, batchId, { line: 5, attempt: 1, version: 1 }));
  expect(await find(batchId, 0, 4)).toMatchObject([
    { state: "kept", attempt: 2, version: 1, status: "pending", onboardingId: "ob_2" },
    { state: "kept", attempt: 1, version: 2, status: "fail", requiresManualReview: false },
    { state: "run", attempt: 1 },
    { state: "kept", status: "invalid", attempt: 1 },
  ]);
});

test("of outcomes whose staging is gone, those that may change are staged again as the table has them", async () => {
  const batchId = await freezeCustomers(bench.deps.batches, three);
  const [a, b] = three as [CustomerRow, CustomerRow];
  const output = '{"score":7}';
  const open = { version: 2, status: "needs_customer", output, events: [] };
  await record(batchId, outcomeOf(a, 0, open), outcomeOf(b, 1));
  await bench.deps.sealed.deletePrefix(`_staging/${batchId}/`);
  await freezeCustomers(bench.deps.batches, three);
  expect((await find(batchId, 0, 2)).map(({ state }) => state)).toEqual(["kept", "kept"]);
  const staged = await getOutcome(bench.deps.sealed, batchId, { line: 2, attempt: 1, version: 2 });
  const { events: _, started_at, settled_at, ...values } = outcomeOf(a, 0, open);
  const instant = (at: string | null) => at?.replace("Z", "000Z");
  expect(staged).toEqual({ ...values, started_at: instant(started_at), settled_at: instant(settled_at) });
  await expect(
    getOutcome(bench.deps.sealed, batchId, { line: 3, attempt: 1, version: 1 }),
  ).rejects.toBeInstanceOf(StagingLostError);
});

test("a changed file runs the changed row alone; the others' outcomes become its own, output and all", async () => {
  const first = await freezeCustomers(bench.deps.batches, three);
  const [a, b, c] = three as [CustomerRow, CustomerRow, CustomerRow];
  const output = '{"score":7}';
  await record(
    first,
    outcomeOf(a, 0, { output }),
    outcomeOf(b, 1, { status: "failed", onboarding_id: null }),
  );
  await record(first, outcomeOf(c, 2));
  await record(first, outcomeOf(a, 0, { version: 2, status: "fail", output, settled_by: "webhook" }));
  // A line in front: every line moves, and one customer's data is another.
  const moved = three.map((one) => ({ ...one, line: one.line + 1 }));
  const second = await freezeCustomers(bench.deps.batches, [
    ...moved.slice(0, 2),
    { ...moved[2]!, vault: { "custom.a": 1 } },
  ]);
  expect(second).not.toBe(first);
  const rows = await find(second, 0, 3);
  expect(rows).toMatchObject([
    { line: 3, state: "adopted", attempt: 1, version: 1, status: "fail", onboardingId: "ob_2" },
    { line: 4, state: "adopted", attempt: 1, status: "failed", onboardingId: null },
    { line: 5, state: "run", attempt: 1, status: null },
  ]);
  const adopted = await getOutcome(bench.deps.sealed, second, { line: 3, attempt: 1, version: 1 });
  expect(adopted).toMatchObject({ output, settled_by: "webhook", fp_id: "fp_2", row: 0, status: "fail" });
  expect(adopted.events).toMatchObject([
    { event: "adopted", status: "fail", detail: `from ${first}, line 2, attempt 1` },
  ]);
  await record(second, adopted);
  expect(await find(second, 0, 1)).toMatchObject([{ state: "kept", status: "fail" }]);
});

test("a row cancelled before its POST runs again, under the next attempt; one with a POST does not", async () => {
  const batchId = await freezeCustomers(bench.deps.batches, three);
  const [a, b] = three as [CustomerRow, CustomerRow];
  const cancelled = { status: "cancelled", settled_by: null, settled_at: null } as const;
  await record(batchId, outcomeOf(a, 0, { ...cancelled, onboarding_id: null }), outcomeOf(b, 1, cancelled));
  expect(await find(batchId, 0, 2)).toMatchObject([
    { state: "run", attempt: 2 },
    { state: "kept", attempt: 1, status: "cancelled", onboardingId: "ob_3" },
  ]);
});

test("the key of a row holds playbook, version and mode: another one runs it", async () => {
  const first = await freezeCustomers(bench.deps.batches, three);
  await record(first, ...three.map((one, row) => outcomeOf(one, row)));
  for (const purpose of [
    { playbook: "pb_1:v4", mode: "async", service: "" },
    { playbook: "pb_1:v3", mode: "sync", service: "" },
  ] as const) {
    const other = await freezeCustomers(bench.deps.batches, three, purpose);
    expect((await find(other, 0, 3)).map(({ state }) => state)).toEqual(["run", "run", "run"]);
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
  await record(batchId, outcomeOf(planted, 0, { output: '{"a":"PLANTED"}', error_message: "PLANTED" }));
  const other = await freezeCustomers(bench.deps.batches, [{ ...planted, line: 9 }]);
  for (const rows of [await find(batchId, 0, 1), await find(other, 0, 1)]) {
    expect(rows).toMatchObject([{ status: "pass" }]);
    expect(JSON.stringify(rows)).not.toContain("PLANTED");
  }
});
