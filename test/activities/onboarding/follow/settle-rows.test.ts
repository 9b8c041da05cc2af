import { afterEach, beforeEach, expect, test } from "vitest";
import { settleRows } from "../../../../src/activities/onboarding/follow/settle-rows.js";
import { countMail, NO_MAIL } from "../../../../src/domain/onboarding/customer/customer-mail.js";
import { customerKey, type SteppedRow, shardOf } from "../../../../src/domain/onboarding/follow/shard.js";
import { earlierOutcomes } from "../../../../src/lake/onboarding/earlier-outcomes.js";
import { keptSlice } from "../../../../src/lake/onboarding/open-customers.js";
import { doneReport } from "../../../helpers/onboarding/batch-states.js";
import { FIRST_INPUT } from "../../../helpers/onboarding/customer-states.js";
import { customer, freezeCustomers, outcomeOf } from "../../../helpers/onboarding/onboarding-batch.js";
import { type ActivityBench, openActivityBench } from "../../../helpers/temporal/activity-bench.js";

const KEYS = [1, 2].map((n) => customerKey("pb_1", `${n}`.padStart(32, "0")));
const customers = [customer(2), customer(3)] as const;
let bench: ActivityBench;
let batchId: string;
beforeEach(async () => {
  bench = await openActivityBench();
  batchId = await freezeCustomers(bench.deps.batches, customers);
});
afterEach(() => bench.close());

const inputOf = (row: number) => ({ ...FIRST_INPUT, batchId, line: row + 2, row });
const settled = (version: number, change: object = {}) =>
  bench.run(() =>
    settleRows(bench.deps, {
      ...{ version, now: version, rows: [], news: [], stops: [], tryNow: false },
      ...{ slices: [], settled: [], busy: [], due: KEYS.map(shardOf), room: 9, ...change },
    }),
  );

test("a row is closed and told once its outcome is in the table, also where it is settled twice", async () => {
  await settled(1, { rows: KEYS.map((key, row) => ({ key, input: inputOf(row) })) });
  const stepped = KEYS.map(
    (key, row): SteppedRow => ({
      ...{ key, given: countMail(NO_MAIL), next: null },
      reports: [{ batchWorkflowId: FIRST_INPUT.batchWorkflowId, report: doneReport(row) }],
      records: [{ run: inputOf(row), outcome: outcomeOf(customers[row as 0 | 1]) }],
    }),
  );
  await keptSlice(bench.deps.sealed, "1-0").keep(stepped);
  const given = { slices: ["1-0"] };
  const result = await settled(2, given);
  expect(result).toMatchObject({ reports: [{ report: { row: 0 } }, { report: { row: 1 } }] });
  expect(await settled(2, given)).toEqual(result);
  // As after the end of Temporal's records: another version steps and settles the rows anew.
  expect(await settled(3, given)).toMatchObject({ reports: [] });
  const { txns } = await bench.deps.lake.table("onboardings").snapshot();
  expect([...txns.keys()]).toEqual([`${batchId}/outcomes/1-1/2-3`]);
  const lines = { from: 2, to: 3 };
  const { own } = await bench.run(() => earlierOutcomes(bench.deps.lake, batchId, lines, []), 2);
  expect([...own.keys()].sort()).toEqual([2, 3]);
});
