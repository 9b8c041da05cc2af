import { beforeEach, expect, test } from "vitest";
import { applySlices } from "../../../../src/activities/onboarding/follow/apply-slices.js";
import { customerKey, type SteppedRow, shardOf } from "../../../../src/domain/onboarding/follow/shard.js";
import { earlierOutcomes } from "../../../../src/lake/onboarding/earlier-outcomes.js";
import { keptSlice } from "../../../../src/lake/onboarding/open-customers.js";
import { eachTest } from "../../../helpers/each-test.js";
import { doneReport } from "../../../helpers/onboarding/batch-states.js";
import { FIRST_INPUT } from "../../../helpers/onboarding/customer-states.js";
import { customer, freezeCustomers, outcomeOf } from "../../../helpers/onboarding/onboarding-batch.js";
import { openActivityBench } from "../../../helpers/temporal/activity-bench.js";

const KEYS = [1, 2].map((n) => customerKey("pb_1", `${n}`.padStart(32, "0")));
const customers = [customer(2), customer(3)] as const;
const bench = eachTest(openActivityBench);
let batchId: string;
beforeEach(async () => {
  batchId = await freezeCustomers(bench.deps.batches, customers);
});

const inputOf = (row: number) => ({ ...FIRST_INPUT, key: KEYS[row] ?? "", batchId, line: row + 2, row });
const applied = (version: number, change: object = {}) =>
  bench.run(() =>
    applySlices(bench.deps, {
      ...{ version, now: version, rows: [], news: [], stops: [], tryNow: false },
      ...{ slices: [], applied: [], busy: [], due: KEYS.map(shardOf), room: 9, ...change },
    }),
  );

test("a row is closed and told once its outcome is in the table, also where it is applied twice", async () => {
  await applied(1, { rows: KEYS.map((_, row) => inputOf(row)) });
  const stepped = KEYS.map(
    (_, row): SteppedRow => ({
      ...{ row: inputOf(row), read: 0, next: null },
      reports: [{ batchWorkflowId: FIRST_INPUT.batchWorkflowId, report: doneReport(row) }],
      records: [{ run: inputOf(row), outcome: outcomeOf(customers[row as 0 | 1]) }],
    }),
  );
  await keptSlice(bench.deps.sealed, "1-0").putIfAbsent(stepped);
  const given = { slices: ["1-0"] };
  const result = await applied(2, given);
  expect(result).toMatchObject({ reports: [{ report: { row: 0 } }, { report: { row: 1 } }] });
  expect(await applied(2, given)).toEqual(result);
  // As after the end of Temporal's records: another version steps and applies the rows anew.
  expect(await applied(3, given)).toMatchObject({ reports: [] });
  const { txns } = await bench.deps.lake.table("onboardings").snapshot();
  expect([...txns.keys()]).toEqual([`${batchId}/outcomes/1-1/2-3`]);
  const lines = { from: 2, to: 3 };
  const { own } = await bench.run(() => earlierOutcomes(bench.deps.lake, batchId, lines, []), 2);
  expect([...own.keys()].sort()).toEqual([2, 3]);
});

test("a row whose customer is in work in another batch is cancelled, once, and says in which", async () => {
  await applied(1, { rows: [inputOf(0)] });
  const second = await freezeCustomers(bench.deps.batches, [customer(2), customer(4)]);
  const input = { ...inputOf(0), batchId: second, batchWorkflowId: "onboard-batch/2" };
  const refused = { rows: [input] };
  for (const version of [2, 2, 3]) {
    expect(await applied(version, refused)).toMatchObject({
      reports: [
        { batchWorkflowId: "onboard-batch/2", report: { kind: "done", row: 0, status: "cancelled" } },
      ],
    });
  }
  const { own } = await bench.run(() => earlierOutcomes(bench.deps.lake, second, { from: 2, to: 2 }, []), 2);
  expect([...own.values()]).toMatchObject([
    {
      status: "cancelled",
      onboarding_id: null,
      version: 1,
      error_message: `this customer is in batch ${batchId}; run the same command again`,
      next_action: "run the same command again",
    },
  ]);
});

test("a refused row whose batch has lost its staging ends that batch, and no other", async () => {
  await applied(1, { rows: [inputOf(0)] });
  const input = { ...inputOf(0), batchId: `onb_${"0".repeat(24)}`, batchWorkflowId: "onboard-batch/2" };
  const rows = [input, inputOf(1)];
  expect(await applied(2, { rows })).toMatchObject({
    reports: [{ batchWorkflowId: "onboard-batch/2", report: { kind: "lost", row: 0 } }],
    due: [{ batchId, keys: KEYS }],
  });
});

test("what a damaged slice has done is done again, once it has failed often enough", async () => {
  await applied(1, { rows: [inputOf(0)] });
  const slice = keptSlice(bench.deps.sealed, "1-0");
  await slice.putIfAbsent([]);
  await bench.deps.lake.store.put("_staging/follow/slices/1-0", "torn");
  await expect(applied(2, { slices: ["1-0"] })).rejects.toThrow(
    /^_staging\/follow\/slices\/1-0 in the lake: /,
  );
  const result = await applied(2, { slices: ["1-0"], now: Date.now(), withoutLost: true });
  expect(result).toMatchObject({ lost: ["_staging/follow/slices/1-0"], due: [{ keys: [KEYS[0]] }] });
  expect(bench.logged()).toMatchObject([{ level: "error", object: "_staging/follow/slices/1-0" }]);
});
