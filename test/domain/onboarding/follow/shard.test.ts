import { expect, test } from "vitest";
import { NO_CALLS } from "../../../../src/domain/counts.js";
import type { CustomerInput } from "../../../../src/domain/onboarding/batch/batch-rows.js";
import { countMail } from "../../../../src/domain/onboarding/customer/customer-mail.js";
import {
  afterTry,
  dueAt,
  inherited,
  NO_TRIES,
  type OpenCustomer,
  openCustomer,
} from "../../../../src/domain/onboarding/customer/open-customer.js";
import {
  type CustomerNews,
  customerKey,
  factsOf,
  type HandedRow,
  type Shard,
  type SteppedRow,
  settled,
  shardOf,
} from "../../../../src/domain/onboarding/follow/shard.js";
import { DEFAULT_TIMING } from "../../../../src/domain/onboarding/timing.js";
import { completed, FIRST_INPUT, INCOMPLETE } from "../../../helpers/onboarding/customer-states.js";

const KEY = customerKey("pb_1", "7f00000000000000000000000000000f");
const OTHER: CustomerInput = { ...FIRST_INPUT, batchWorkflowId: "onboard-batch/2", batchId: "onb_2", row: 7 };
const WAITER = {
  batchWorkflowId: "onboard-batch/2",
  batchId: "onb_2",
  runId: "run-1",
  row: 7,
} as CustomerInput;
const NOTHING = { stepped: [], rows: [], news: [], stops: [], tryNow: false, now: 0 };
const withRow = (shard: Shard, row: HandedRow, now: number) =>
  settled(shard, { ...NOTHING, rows: [row], now }).open;
const withNews = (shard: Shard, news: CustomerNews) => settled(shard, { ...NOTHING, news: [news] }).open;
const withStop = (shard: Shard, batchId: string) => settled(shard, { ...NOTHING, stops: [batchId] }).open;
const withoutWaits = (shard: Shard) => settled(shard, { ...NOTHING, tryNow: true }).open;
const afterStepOf = (shard: Shard, step: SteppedRow) => settled(shard, { ...NOTHING, stepped: [step] });
const OPEN = withRow({}, { key: KEY, input: FIRST_INPUT }, 0);
const one = (shard: Shard) => shard[KEY] as OpenCustomer;
/** A row that waits for its customer. */
const waiting = (change: Partial<OpenCustomer> = {}): OpenCustomer => {
  return { ...openCustomer(FIRST_INPUT, 0), state: INCOMPLETE, ...change };
};

test("a key names its shard by the first three digits of the customer's hash", () => {
  expect(shardOf(KEY)).toBe(0x3f0);
  const shards = Array.from({ length: 4096 }, (_, n) => shardOf(`pb_1/${n.toString(16).padStart(3, "0")}0`));
  expect(new Set(shards).size).toBe(1024);
});

test("a second row about an open customer waits for it, once however often it is handed over", () => {
  const twice = [0, 1].reduce((shard) => withRow(shard, { key: KEY, input: OTHER }, 0), OPEN);
  expect(one(twice).input).toEqual(FIRST_INPUT);
  expect(one(twice).mail.waiters).toMatchObject([WAITER]);
});

test("what comes while a row is worked on stays for its next step", () => {
  const given = withNews(OPEN, { key: KEY, event: completed("pass") });
  const next = { ...one(given), told: true, mail: one(OPEN).mail };
  const later = withStop(
    withNews(given, { key: KEY, event: { ...completed("fail"), messageId: "msg_2" } }),
    "onb_1",
  );
  const step = { key: KEY, given: countMail(one(given).mail), next, reports: [], records: [] };
  const { open: shard } = afterStepOf(later, step);
  expect(one(shard).told).toBe(true);
  expect(one(shard).mail).toMatchObject({ events: [{ messageId: "msg_2" }], stops: ["onb_1"] });
});

test("rows that came to wait during a row's last step are given back, others only once", () => {
  const before = withRow(OPEN, { key: KEY, input: OTHER }, 0);
  const given = countMail(one(before).mail);
  const late = withRow(before, { key: KEY, input: { ...OTHER, row: 9 } }, 0);
  const told = { batchWorkflowId: "onboard-batch/2", report: { kind: "free", row: 7 } } as const;
  const { open: shard, reports } = afterStepOf(late, {
    key: KEY,
    given,
    next: null,
    reports: [told],
    records: [],
  });
  expect(shard).toEqual({});
  expect(reports).toEqual([told, { ...told, report: { kind: "free", row: 9 } }]);
});

test("the step of a row that is not open any more changes nothing and tells nobody", () => {
  const report = { batchWorkflowId: "b", report: { kind: "free", row: 1 } } as const;
  const step = {
    key: KEY,
    given: countMail(one(OPEN).mail),
    next: one(OPEN),
    reports: [report],
    records: [],
  };
  expect(afterStepOf({}, step)).toEqual({ open: {}, reports: [] });
});

test("a cancelled batch is told to its own rows and to those that its rows wait for, and to no others", () => {
  const busy = withRow(OPEN, { key: KEY, input: OTHER }, 0);
  expect(one(withStop(busy, "onb_1")).mail.stops).toEqual(["onb_1"]);
  expect(one(withStop(busy, "onb_2")).mail.stops).toEqual(["onb_2"]);
  expect(one(withStop(busy, "onb_3"))).toBe(one(busy));
  const shard = { [KEY]: waiting({ reused: [{ waiter: WAITER, version: 1 }] }) };
  expect(one(withStop(shard, "onb_2")).mail.stops).toEqual(["onb_2"]);
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
  ["for its late output", waiting({ output: { ...NO_CALLS, polls: 0, dueAt: 5_000 } }), 5_000],
  [
    "at once, where others wait for a row that has only its output to get",
    one(
      withRow(
        { [KEY]: waiting({ output: { ...NO_CALLS, polls: 0, dueAt: 5_000 } }) },
        { key: KEY, input: OTHER },
        0,
      ),
    ),
    0,
  ],
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

test("a row that reuses outcomes inherits the onboarding with its deadline, under its own name and version", () => {
  const open = { onboardingId: "ob_1", status: "pending", review: false, version: 3 };
  const waiter = { ...OTHER, line: 9, attempt: 2, startedAt: "2026-11-22T11:00:00Z", open };
  const next = inherited(waiting({ stopped: true, reused: [{ waiter, version: 4 }] }));
  expect(next.input).toEqual({ ...waiter, startedAt: FIRST_INPUT.startedAt, open: null });
  expect(next).toMatchObject({
    stopped: false,
    state: { version: 4 },
    recorded: { version: 4 },
    deadline: DEFAULT_TIMING.deadline,
    reused: [],
  });
});
