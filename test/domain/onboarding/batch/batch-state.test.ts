import { expect, test } from "vitest";
import { planned, started } from "../../../../src/domain/onboarding/batch/batch-changes.js";
import {
  type BatchState,
  newBatch,
  rangesOf,
  rowsToPlan,
  wakeAfter,
} from "../../../../src/domain/onboarding/batch/batch-state.js";
import { planOf, rowToRun } from "../../../helpers/onboarding/batch-states.js";

const PAUSED = { paused: { kind: "asked", reason: "by hand" } } as const;
const waiting = (...times: readonly number[]) =>
  times.map((notBefore, row) => ({ ...rowToRun(row), notBefore }));

test.for<[string, Partial<BatchState>, number]>([
  ["at the next silent row, where nothing waits", {}, 60_000],
  ["at the first row that may start", { waiting: waiting(9_000, 5_000) }, 4_000],
  ["at once, where a row may start now", { waiting: waiting(500) }, 1],
  ["at the next silent row, where a row may start later", { waiting: waiting(900_000) }, 60_000],
  ["not for a row, while it is paused", { waiting: waiting(5_000), ...PAUSED }, 60_000],
])("a batch wakes %s", ([, change, expected]) => {
  const limits = { window: 2, reportTimeout: 60_000 };
  expect(wakeAfter({ ...newBatch(9), ...change }, limits, 1_000)).toBe(expected);
});

test("a batch does not wake for a row that its window has no room for", () => {
  const { batch } = started(planned(newBatch(3), 3, planOf(0, 3)), 2, 0);
  expect(wakeAfter(batch, { window: 2, reportTimeout: 60_000 }, 0)).toBe(60_000);
  expect(wakeAfter(batch, { window: 3, reportTimeout: 60_000 }, 0)).toBe(1);
});

test.for<[string, Partial<BatchState>, object | undefined]>([
  ["a new batch", {}, { from: 0, to: 4 }],
  ["to its end", { next: 8 }, { from: 8, to: 9 }],
  ["not what is planned", { next: 9 }, undefined],
  ["not while planned rows wait", { waiting: waiting(0) }, undefined],
  ["not while it is paused", PAUSED, undefined],
  ["all, once it is cancelled", { waiting: waiting(0), cancelled: true }, { from: 0, to: 4 }],
])("plans %s", ([, change, expected]) => {
  expect(rowsToPlan({ ...newBatch(9), ...change }, 4)).toEqual(expected);
});

test("rows are put into ranges of the file as they were planned", () => {
  expect(rangesOf([0, 3, 4, 9].map(rowToRun), 4, 10)).toEqual([
    { from: 0, to: 4, only: [0, 3] },
    { from: 4, to: 8, only: [4] },
    { from: 8, to: 10, only: [9] },
  ]);
});
