import { afterEach, beforeEach, expect, test } from "vitest";
import { RowInWork } from "../../../../src/activities/onboarding/customer/row-in-work.js";
import { step, workRows } from "../../../../src/activities/onboarding/follow/work-rows.js";
import { createOnboarding } from "../../../../src/api/operations/onboarding.js";
import { DAY, HOUR } from "../../../../src/domain/duration.js";
import { type OpenCustomer, openCustomer } from "../../../../src/domain/onboarding/customer/open-customer.js";
import { customerKey } from "../../../../src/domain/onboarding/follow/shard.js";
import { keptOutcome } from "../../../../src/lake/onboarding/frozen-batch.js";
import { keptSlice } from "../../../../src/lake/onboarding/open-customers.js";
import { FIRST_INPUT, POSTED } from "../../../helpers/onboarding/customer-states.js";
import { customer, freezeCustomers, outcomeOf } from "../../../helpers/onboarding/onboarding-batch.js";
import { type ActivityBench, openActivityBench } from "../../../helpers/temporal/activity-bench.js";

const KEYS = [1, 2].map((n) => customerKey("pb_1", `${n}`.padStart(32, "0")));
let bench: ActivityBench;
let batchId: string;
let rows: OpenCustomer[];
beforeEach(async () => {
  const playbook = { key: "pb_1", outcomes: { pass: 1 }, delayMs: 90 * DAY, versions: 3 };
  bench = await openActivityBench({ playbooks: [playbook] });
  batchId = await freezeCustomers(bench.deps.batches, [customer(2), customer(3)]);
  rows = [];
  for (const line of [2, 3]) {
    bench.sandbox.addUser({ fp_id: `fp_${line}` });
    const params = { body: { key: "pb_1", fp_id: `fp_${line}` } };
    const { id } = await bench.deps.api.read(createOnboarding, params);
    rows.push(postedRow(line, id));
  }
});
afterEach(() => bench.close());

function postedRow(line: number, onboardingId: string): OpenCustomer {
  const input = { ...FIRST_INPUT, batchId, line, row: line - 2, outputExpected: false };
  const one = openCustomer(input, Date.now());
  return { ...one, state: { ...POSTED, onboardingId } };
}

/** Works on both rows, and gives what came of them. */
async function worked(dueAt = Date.now()) {
  const changes = Object.fromEntries(KEYS.map((key, at) => [key, rows[at] ?? null]));
  await bench.deps.open.write({ version: 1, id: "id" }, await bench.deps.open.at(1), changes);
  await bench.run(() => workRows(bench.deps, { slice: "1-0", keys: KEYS, dueAt }));
  return (await keptSlice(bench.deps.sealed, "1-0").find()) ?? [];
}

test("a row that is due by Temporal's clock is worked on, though this machine's clock is behind", async () => {
  const [first] = await worked(Date.now() + 120_000);
  expect(bench.sandbox.calls().by_operation.get_onboarding).toBe(2);
  expect(first?.next?.polls).toMatchObject({ polls: 1 });
  expect(first?.next?.polls.polledAt).toBeGreaterThan(Date.now() + 60_000);
});

test.each([
  ["stays where no answer of the service bears that out, and is looked at in an hour", 0],
  ["ends there once the service has said so", 15 * DAY],
])("a row that is past its deadline by this machine's clock %s", async (_, passed) => {
  const later = Date.now() + 15 * DAY;
  bench.sandbox.clock.advance(passed);
  const [first] = await worked(later);
  expect(bench.sandbox.calls().by_operation.get_onboarding).toBe(2);
  if (passed > 0) expect(first).toMatchObject({ next: null, records: [{ outcome: { status: "pending" } }] });
  else expect(first?.next?.tries.notBefore).toBeGreaterThanOrEqual(later + HOUR);
});

test("a row that is overdue by this machine's clock alone is polled, and no more", async () => {
  const [first] = await worked(Date.now() + 2 * DAY);
  expect(first).toMatchObject({ next: { polls: { polls: 1 }, state: { phase: "machine" } }, records: [] });
});

test("a row whose earlier outcome is torn waits, and what its neighbour came to is kept", async () => {
  const [torn] = rows;
  if (torn === undefined) throw new Error("no row");
  rows[0] = { ...torn, isReported: true, state: { ...torn.state, version: 1 } };
  await keptOutcome(bench.deps.sealed, batchId, outcomeOf(customer(2))).put(outcomeOf(customer(2)));
  const [key = ""] = (await bench.deps.sealed.list(`_staging/${batchId}/outcomes/`)).map(
    (entry) => entry.key,
  );
  await bench.deps.lake.store.put(key, "torn");
  for (const { id } of bench.sandbox.onboardings.list()) bench.sandbox.onboardings.finish(id, "pass");
  const [first, second] = await worked(Date.now() + 5_000);
  expect(first?.next?.tries.times).toBe(1);
  expect(first).toMatchObject({ reports: [], records: [] });
  expect(second?.reports).toMatchObject([{ report: { kind: "done", status: "pass", row: 1 } }]);
});

test("the polls of a row begin when it is posted, however long it was in line", async () => {
  const [first, ...rest] = rows;
  if (first === undefined) throw new Error("no row");
  const inLine = openCustomer({ ...first.input, rowKey: "another" }, Date.now() - 600_000);
  rows = [inLine, ...rest];
  const before = Date.now();
  const [posted] = await worked();
  expect(posted?.next?.state).toMatchObject({ status: "pending" });
  expect(posted?.next?.polls.polledAt).toBeGreaterThanOrEqual(before);
});

test("a slice that was worked on before keeps what it came to", async () => {
  const [first] = await worked(Date.now() + 5_000);
  await bench.run(() => workRows(bench.deps, { slice: "1-0", keys: KEYS, dueAt: Date.now() + 900_000 }));
  expect((await keptSlice(bench.deps.sealed, "1-0").find())?.[0]).toEqual(first);
  expect(bench.sandbox.calls().by_operation.get_onboarding).toBe(2);
});

test("a decision without an output is polled for it once more before its batch hears of it", async () => {
  rows = rows.map((one) => ({ ...one, input: { ...one.input, outputExpected: true } }));
  const [onboarding] = bench.sandbox.onboardings.list();
  bench.sandbox.onboardings.finish(onboarding?.id ?? "", "pass");
  const [first] = await worked(Date.now() + 5_000);
  expect(first).toMatchObject({ reports: [], records: [{ outcome: { status: "pass", version: 1 } }] });
  const wait = (first?.next?.outputDueAt ?? 0) - (first?.next?.polls.polledAt ?? 0);
  // The clock goes on between the two.
  expect(wait).toBeCloseTo(2_000, -3);
  const next = first?.next;
  if (next == null) throw new Error("the row is finished");
  const row = new RowInWork(bench.deps, next, () => Date.now() + 9_000);
  expect(await bench.run(() => step(row))).toBeNull();
  expect(row.reports).toMatchObject([{ report: { kind: "done", status: "pass", outputCame: false } }]);
  expect(bench.sandbox.calls().by_operation.get_onboarding).toBe(3);
});
