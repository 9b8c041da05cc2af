import type { ChunkPlan, DoneReport, RowToRun } from "../../../src/domain/onboarding/batch/batch-state.js";

export const rowToRun = (row: number): RowToRun => ({
  row,
  line: row + 2,
  attempt: 1,
  key: `pb_1/${row}`,
  rowKey: `k${row}`,
  prepare: false,
  open: null,
  retry: false,
  before: null,
});

/** A plan by which the rows `[from, to)` run. */
export const planOf = (from: number, to: number): ChunkPlan => ({
  run: Array.from({ length: to - from }, (_, at) => rowToRun(from + at)),
  ended: [],
});

export const doneReport = (row: number, change: Partial<DoneReport> = {}): DoneReport => ({
  kind: "done",
  row,
  status: "pass",
  review: false,
  calls: 2,
  answer_bytes: 90,
  messageHash: null,
  ...change,
});
