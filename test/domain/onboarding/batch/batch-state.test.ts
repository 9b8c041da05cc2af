import { expect, test } from "vitest";
import {
  type BatchState,
  newBatch,
  rangesOf,
  rowsToPlan,
} from "../../../../src/domain/onboarding/batch/batch-state.js";
import { rowToRun } from "../../../helpers/onboarding/batch-states.js";

const PAUSED = { paused: { kind: "asked", reason: "by hand" } } as const;

test.for<[string, Partial<BatchState>, object | undefined]>([
  ["a new batch", {}, { from: 0, to: 4 }],
  ["to its end", { next: 8 }, { from: 8, to: 9 }],
  ["not what is planned", { next: 9 }, undefined],
  ["not while planned rows wait", { waiting: [rowToRun(0)] }, undefined],
  ["not while it is paused", PAUSED, undefined],
  ["all, once it is cancelled", { waiting: [rowToRun(0)], cancelled: true }, { from: 0, to: 4 }],
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
