import { parse } from "csv-parse/sync";
import { expect, test } from "vitest";
import { recordOutcomes } from "../../../src/activities/onboarding/record-outcomes.js";
import { mapConcurrent } from "../../../src/domain/concurrent-work.js";
import type { Outcome } from "../../../src/domain/onboarding/outcome.js";
import { keptOutcome } from "../../../src/lake/onboarding/frozen-batch.js";
import { writeOutcomesCsv } from "../../../src/lake/onboarding/outcomes-csv.js";
import { readTables } from "../../../src/lake/query/query-views.js";
import { onboardings } from "../../../src/lake/tables/onboardings.js";
import { eachTest } from "../../helpers/each-test.js";
import { customer, freezeCustomers, outcomeOf, wrongRow } from "../../helpers/onboarding/onboarding-batch.js";
import { openActivityBench } from "../../helpers/temporal/activity-bench.js";

const bench = eachTest(openActivityBench);

async function record(batchId: string, rows: readonly Outcome[]): Promise<void> {
  await mapConcurrent(16, rows, (row) => keptOutcome(bench.deps.sealed, batchId, row).put(row));
  await bench.run(() =>
    recordOutcomes(
      bench.deps,
      rows.map((outcome) => ({ run: { batchId, runId: "run", plainOutput: false }, outcome })),
    ),
  );
}

async function csv(batchId: string, rows: number): Promise<{ text: string; rows: Record<string, string>[] }> {
  const { lake, batches } = bench.deps;
  const { key } = await readTables(lake, [onboardings], (tables) =>
    writeOutcomesCsv(lake.store, batches, { batchId, rows }, (sql) => tables.stream(sql)),
  );
  expect(key).toBe(`_batches/${batchId}/outcomes.csv`);
  const text = String(await bench.deps.lake.store.get(key));
  return { text, rows: parse(text, { columns: true }) as Record<string, string>[] };
}

test("one row a line of the file in its order, the latest version of the latest attempt", async () => {
  const customers = Array.from({ length: 1_100 }, (_, at) => customer(at + 2));
  const batchId = await freezeCustomers(bench.deps.batches, [...customers, wrongRow(2_000)]);
  const all = customers.map((one) => outcomeOf(one));
  await record(batchId, all.slice(1).reverse());
  await record(batchId, [
    { ...all[5]!, attempt: 2, status: "error", error_message: 'no, "never"' },
    { ...all[6]!, version: 2, status: "fail", requires_manual_review: true, settled_by: "webhook" },
  ]);
  const { rows } = await csv(batchId, 1_101);
  expect(rows.map(({ line }) => Number(line))).toEqual([...customers.map(({ line }) => line), 2_000]);
  expect(rows[0]).toMatchObject({ fp_id: "fp_2", status: "", attempt: "", kind: "user" });
  expect(rows[1]).toMatchObject({
    fp_id: "fp_3",
    onboarding_id: "ob_3",
    status: "pass",
    attempt: "1",
    playbook_version: "3",
    requires_manual_review: "false",
    settled_at: "2026-11-21T02:16:00.000000Z",
  });
  expect(rows[5]).toMatchObject({
    attempt: "2",
    version: "1",
    status: "error",
    error_message: 'no, "never"',
  });
  expect(rows[6]).toMatchObject({ attempt: "1", version: "2", status: "fail", settled_by: "webhook" });
  expect(rows[1_100]).toMatchObject({ external_id: "c-2000", status: "" });
  expect((await csv(batchId, 3)).rows).toHaveLength(3);
});

test.each(["=1+1", "+15550100", "-2", "@sum", "=cmd|' /C calc'!A0"])(
  "a spreadsheet does not run %s",
  async (id) => {
    const one = customer(2, { fpId: null, externalId: id });
    const batchId = await freezeCustomers(bench.deps.batches, [one]);
    await record(batchId, [outcomeOf(one, { error_message: `${id}, said the service` })]);
    const { rows } = await csv(batchId, 1);
    expect(rows[0]?.external_id).toBe(`'${id}`);
    expect(rows[0]?.error_message).toBe(`'${id}, said the service`);
  },
);
