import { expect, test } from "vitest";
import { NO_CALLS } from "../../../../src/domain/counts.js";
import type { CustomerInput } from "../../../../src/domain/onboarding/batch/batch-state.js";
import {
  afterTry,
  dueAt,
  NO_TRIES,
  type OpenCustomer,
  openCustomer,
} from "../../../../src/domain/onboarding/customer/open-customer.js";
import {
  applySlice,
  type CustomerNews,
  factsOf,
  type Shard,
  type SteppedRow,
  shardOf,
} from "../../../../src/domain/onboarding/follow/shard.js";
import { completed, FIRST_INPUT, INCOMPLETE } from "../../../helpers/onboarding/customer-states.js";

const { key: KEY } = FIRST_INPUT;
const OTHER: CustomerInput = { ...FIRST_INPUT, batchWorkflowId: "onboard-batch/2", batchId: "onb_2", row: 7 };
const NOTHING = { stepped: [], rows: [], news: [], stops: [], tryNow: false, now: 0 };
const withRow = (shard: Shard, row: CustomerInput, now: number) =>
  applySlice(shard, { ...NOTHING, rows: [row], now }).open;
const withNews = (shard: Shard, news: CustomerNews) => applySlice(shard, { ...NOTHING, news: [news] }).open;
const withStop = (shard: Shard, batchId: string) => applySlice(shard, { ...NOTHING, stops: [batchId] }).open;
const withoutWaits = (shard: Shard) => applySlice(shard, { ...NOTHING, tryNow: true }).open;
const afterStepOf = (shard: Shard, step: SteppedRow) => applySlice(shard, { ...NOTHING, stepped: [step] });
const OPEN = withRow({}, FIRST_INPUT, 0);
const one = (shard: Shard) => shard[KEY] as OpenCustomer;
const waiting = (change: Partial<OpenCustomer> = {}): OpenCustomer => {
  return { ...openCustomer(FIRST_INPUT, 0), state: INCOMPLETE, ...change };
};

test("a key names its shard by the first three digits of the customer's hash", () => {
  expect(shardOf(KEY)).toBe(0x3f0);
  const shards = Array.from({ length: 4096 }, (_, n) => shardOf(`pb_1/${n.toString(16).padStart(3, "0")}0`));
  expect(new Set(shards).size).toBe(1024);
});

const told = (change: Partial<OpenCustomer> = {}) => ({ [KEY]: waiting({ isReported: true, ...change }) });
const handed = (shard: Shard, input: CustomerInput) => applySlice(shard, { ...NOTHING, rows: [input] });
const steppedRow = (change: Partial<SteppedRow> = {}): SteppedRow => ({
  ...{ row: FIRST_INPUT, read: 0, next: null, reports: [], records: [], ...change },
});

test("a row whose customer is in work in another batch is refused", () => {
  const { open, reports, refused } = handed(OPEN, OTHER);
  expect(refused).toEqual([{ input: OTHER, batchId: "onb_1" }]);
  expect({ open, reports }).toEqual({ open: OPEN, reports: [] });
});

test.for([
  ["of another batch", OTHER],
  ["of its own batch that runs again", { ...FIRST_INPUT, attempt: 2, retry: true }],
] as const)("a row that waits for people makes room for one %s, also during its step", ([, input]) => {
  const { open, reports, refused } = handed(told(), input);
  expect(one(open)).toEqual(openCustomer(input, 0));
  expect({ reports, refused }).toEqual({ reports: [], refused: [] });
  const report = { batchWorkflowId: "b", report: { kind: "refused", row: 0, ...NO_CALLS } } as const;
  const stepped = afterStepOf(open, steppedRow({ next: waiting(), reports: [report] }));
  expect(stepped).toMatchObject({ open, reports: [report] });
});

test("a row that comes again answers once it is processed, and stays as it is", () => {
  const again = { ...FIRST_INPUT, runId: "run-2" };
  expect(handed(OPEN, again)).toEqual({ open: OPEN, reports: [], refused: [] });
  const shard = told();
  const { open, reports } = handed(shard, again);
  expect(open).toEqual(shard);
  expect(reports).toMatchObject([{ report: { kind: "done", row: 0, status: "needs_customer", calls: 0 } }]);
});

test("what comes while a row is worked on stays for its next step", () => {
  const given = withNews(OPEN, { key: KEY, event: completed("pass") });
  const next = { ...one(given), isReported: true, mail: one(OPEN).mail, tries: afterTry(NO_TRIES, 9_000) };
  const later = withStop(
    withNews(given, { key: KEY, event: { ...completed("fail"), messageId: "msg_2" } }),
    "onb_1",
  );
  const { open: shard } = afterStepOf(later, steppedRow({ read: 1, next }));
  expect(one(shard)).toMatchObject({
    isReported: true,
    stopped: true,
    mail: { events: [{ messageId: "msg_2" }] },
  });
  expect(dueAt(one(shard))).toBe(0);
});

test("the step of a row that is not open any more changes nothing and tells nobody", () => {
  const report = { batchWorkflowId: "b", report: { kind: "refused", row: 1, ...NO_CALLS } } as const;
  expect(afterStepOf({}, steppedRow({ next: one(OPEN), reports: [report] }))).toMatchObject({
    open: {},
    reports: [],
  });
});

test("a cancelled batch stops its own rows, and no others", () => {
  expect(one(withStop(OPEN, "onb_1")).stopped).toBe(true);
  expect(one(withStop(OPEN, "onb_2"))).toBe(one(OPEN));
});

test("only rows whose step failed are tried again at once", () => {
  const failed = { ...OPEN, [KEY]: { ...one(OPEN), tries: afterTry(NO_TRIES, 1_000) } };
  expect(dueAt(one(failed))).toBe(2_000);
  expect(dueAt(one(withoutWaits(failed)))).toBe(0);
  expect(one(withoutWaits(failed)).tries.times).toBe(1);
  expect(one(withoutWaits(OPEN))).toBe(one(OPEN));
});

test("tries wait twice as long each time, five minutes at most, or as long as the service says", () => {
  let tries = NO_TRIES;
  const waits = Array.from({ length: 12 }, () => {
    tries = afterTry(tries, 50);
    return tries.notBefore - 50;
  });
  expect(waits.slice(0, 4)).toEqual([1_000, 2_000, 4_000, 8_000]);
  expect(waits.at(-1)).toBe(300_000);
  expect(tries).toMatchObject({ times: 12, since: 50 });
  expect(afterTry(tries, 100, 7_000)).toMatchObject({ times: 13, since: 50, notBefore: 7_100 });
});

test.for<[string, OpenCustomer, number]>([
  ["at once, before it is posted", one(OPEN), 0],
  ["at once, for news", one(withNews({ [KEY]: waiting() }, { key: KEY, event: completed("pass") })), 0],
  [
    "at once, where its batch is cancelled, whatever it waits for",
    one(withStop({ [KEY]: waiting({ tries: afterTry(NO_TRIES, 9_000) }) }, "onb_1")),
    0,
  ],
  [
    "when its failed step is tried again, in spite of news",
    one(
      withNews(
        { [KEY]: waiting({ tries: afterTry(NO_TRIES, 9_000) }) },
        { key: KEY, event: completed("pass") },
      ),
    ),
    10_000,
  ],
  ["for its next poll", waiting(), 2_000],
  ["for the output that it lacked", waiting({ outputDueAt: 5_000 }), 5_000],
  ["at once, where its batch is cancelled before that", waiting({ outputDueAt: 5_000, stopped: true }), 0],
])("a row is due %s", ([, row, expected]) => {
  expect(dueAt(row)).toBe(expected);
});

test("what is remembered of a shard leaves out rows in work when it says what is due next, and counts them", () => {
  const shard = { ...OPEN, "pb_1/7f2": waiting() };
  expect(factsOf(shard, new Set())).toEqual({ rows: 2, next: 0, oldest: Date.parse(FIRST_INPUT.startedAt) });
  expect(factsOf(shard, new Set([KEY]))).toMatchObject({ rows: 2, next: 2_000 });
  expect(factsOf(shard, new Set(Object.keys(shard)))).toMatchObject({ rows: 2, next: null });
  expect(factsOf({}, new Set())).toEqual({ rows: 0, next: null, oldest: null });
});
