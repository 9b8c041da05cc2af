import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { recordOutcomes } from "../../../src/activities/onboarding/record-outcomes.js";
import type { CustomerRow } from "../../../src/domain/onboarding/customer.js";
import type { Outcome } from "../../../src/domain/onboarding/outcome.js";
import { TABLES } from "../../../src/tables.js";
import { eachTest } from "../../helpers/each-test.js";
import { customer, freezeCustomers, outcomeOf } from "../../helpers/onboarding/onboarding-batch.js";
import { queryRows } from "../../helpers/query/query-rows.js";
import { type ActivityBench, openActivityBench } from "../../helpers/temporal/activity-bench.js";

const MARK = "PLANTED-4711";
const customers: CustomerRow[] = [
  customer(2, {
    vault: { "id.first_name": MARK, "custom.n": 987654 },
    prerequisiteData: { a: { b: `${MARK}-b` } },
  }),
  customer(3, { fpId: null, externalId: "c-3" }),
  customer(4, { kind: "business", fpId: "fp_bid_4" }),
];

const bench = eachTest(openActivityBench);
let batchId: string;
beforeEach(async () => {
  batchId = await freezeCustomers(bench.deps.batches, customers);
});

async function record(outcomes: readonly Outcome[], plainOutput = false): Promise<void> {
  await bench.run(() =>
    recordOutcomes(
      bench.deps,
      outcomes.map((outcome) => ({ run: { batchId, runId: "run", plainOutput }, outcome })),
    ),
  );
}

const query = (sql: string) => queryRows(bench.deps.lake.store, sql, { tables: TABLES });

const outcome = (at: number, change: Partial<Outcome> = {}) =>
  outcomeOf(customers[at] as CustomerRow, change);

test("outcomes become rows with every column, and an event that names the row's key", async () => {
  await record([outcome(0), outcome(1), outcome(2, { status: "incomplete", next_action: "look" })]);
  const rows = await query("select * from onboardings order by line");
  expect(rows[0]).toEqual({
    batch_id: batchId,
    run_id: "run",
    line: 2,
    attempt: 1,
    version: 1,
    kind: "user",
    fp_id: "fp_2",
    fp_bid: null,
    external_id: null,
    onboarding_id: "ob_2",
    playbook_key: "pb_1",
    playbook_version: 3,
    status: "pass",
    requires_manual_review: false,
    output: null,
    error_class: null,
    error_message: null,
    started_at: "2026-11-21T02:15:00.000000Z",
    settled_at: "2026-11-21T02:16:00.000000Z",
    settled_by: "poll",
    next_action: null,
    expires_at: null,
  });
  expect(rows[1]).toMatchObject({ line: 3, fp_id: null, external_id: "c-3" });
  expect(rows[2]).toMatchObject({ kind: "business", fp_id: null, fp_bid: "fp_bid_4", status: "incomplete" });
  const events = await query("select * from onboarding_events order by line");
  expect(events[0]).toEqual({
    batch_id: batchId,
    run_id: "run",
    line: 2,
    attempt: 1,
    version: 1,
    row_key: outcome(0).row_key,
    event: "recorded",
    status: "pass",
    onboarding_id: "ob_2",
    message_id: null,
    detail: null,
    at: "2026-11-21T02:16:00.000000Z",
  });
  expect(events).toHaveLength(3);
});

test("events that came with an outcome replace the usual one", async () => {
  const at = "2026-11-21T02:17:00.000Z";
  const event = { event: "webhook", status: "fail", message_id: "msg_1", at, detail: "version 4 came" };
  await record([outcome(0, { version: 2, status: "fail", settled_by: "webhook", events: [event] })]);
  expect(await query("select version, event, status, message_id, detail from onboarding_events")).toEqual([
    { version: 2, event: "webhook", status: "fail", message_id: "msg_1", detail: "version 4 came" },
  ]);
});

test("a repeated activity writes nothing twice, also where only half of it was done", async () => {
  await record([outcome(0)]);
  await record([outcome(0)]);
  expect(await query("select count(*) as n from onboardings")).toEqual([{ n: 1 }]);
  expect(await query("select count(*) as n from onboarding_events")).toEqual([{ n: 1 }]);

  const { lake } = bench.deps;
  const half = { ...bench.deps, lake: { ...lake, table: refuseTable("onboardings") } };
  const run = { batchId, runId: "run", plainOutput: false };
  await expect(bench.run(() => recordOutcomes(half, [{ run, outcome: outcome(1) }]))).rejects.toThrow(
    "the disk went away",
  );
  expect(await query("select count(*) as n from onboardings")).toEqual([{ n: 1 }]);
  await bench.run(
    () =>
      recordOutcomes(
        bench.deps,
        [0, 1].map((at) => ({ run, outcome: outcome(at) })),
      ),
    2,
  );
  expect(await query("select line from onboardings order by line")).toEqual([{ line: 2 }, { line: 3 }]);
  expect(await query("select line from onboarding_events order by line")).toEqual([{ line: 2 }, { line: 3 }]);
});

test("whatever outcomes come together, each is written once, and a commit has a transaction for all of a version", async () => {
  const at = (line: number, change: Partial<Outcome> = {}) => outcome(0, { line, ...change });
  await record([at(9), at(3), at(2)]);
  await record([at(2), at(4), at(5), at(9), at(3, { version: 2 }), at(3, { attempt: 2 })]);
  await Promise.all([record([at(12)]), record([at(12)])]);
  expect(await query("select line, attempt, version from onboardings order by all")).toEqual(
    [
      [2, 1, 1],
      [3, 1, 1],
      [3, 1, 2],
      [3, 2, 1],
      [4, 1, 1],
      [5, 1, 1],
      [9, 1, 1],
      [12, 1, 1],
    ].map(([line, attempt, version]) => ({ line, attempt, version })),
  );
  const { txns } = await bench.deps.lake.table("onboardings").snapshot();
  const names = [...txns.keys()].map((name) => name.replace(`${batchId}/outcomes/`, "")).sort();
  expect(names).toEqual(["1-1/12", "1-1/2-3,9", "1-1/4-5", "1-2/3", "2-1/3"]);
});

function refuseTable(refused: string): ActivityBench["deps"]["lake"]["table"] {
  return (name) => {
    if (name === refused) throw new Error("the disk went away");
    return bench.deps.lake.table(name);
  };
}

test("an output is sealed unless it shall be plain", async () => {
  const output = JSON.stringify({ seen: MARK });
  await record([outcome(0, { status: "error", output })]);
  const [row] = await query("select output from onboardings");
  const opened = bench.deps.sealed.sealer.open(
    Buffer.from(String(row?.output), "base64"),
    "onboardings.output",
  );
  expect(Buffer.from(opened).toString()).toBe(output);
  expect(await filesWith(MARK)).toEqual([]);

  await record([outcome(1, { output: '{"score":1}' })], true);
  expect(await query("select output from onboardings where line = 3")).toEqual([{ output: '{"score":1}' }]);
});

async function filesWith(text: string): Promise<string[]> {
  const names = await readdir(bench.deps.lake.store.address, { recursive: true, withFileTypes: true });
  const files = names.filter((name) => name.isFile()).map((name) => join(name.parentPath, name.name));
  expect(files.length).toBeGreaterThan(5);
  const held = await Promise.all(files.map(async (file) => (await readFile(file)).includes(text)));
  return files.filter((_, at) => held[at]);
}

test("an outcome's events are written before its row, which has its key by them alone", async () => {
  const { store } = bench.deps.lake;
  await store.put("onboardings/_delta_log/00000000000000000000.json", "damaged");
  await expect(record([outcome(0)])).rejects.toThrow(/onboardings/);
  expect(await store.list("onboarding_events/_delta_log/")).toHaveLength(1);
});
