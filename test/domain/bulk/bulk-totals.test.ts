import { expect, test } from "vitest";
import { bulkStatus, noBulkTotals, totalsOf } from "../../../src/domain/bulk/bulk-totals.js";
import { addTotals } from "../../../src/domain/counts.js";

const failure = (line: number) => ({ line, owner: "fp_1", reason: "not_found" });
const part = (rows: object, failures: readonly ReturnType<typeof failure>[] = []) => ({
  ...noBulkTotals(),
  rows: { ...noBulkTotals().rows, ...rows },
  calls: 2,
  failures,
  failures_total: failures.length,
});

test("parts add up, and a hundred failures are kept", () => {
  const many = Array.from({ length: 80 }, (_, line) => failure(line));
  const sum = addTotals(
    part({ total: 90, failed: 80 }, many),
    part({ total: 85, done: 5, failed: 80 }, many),
  );
  expect(sum.rows).toEqual({ total: 175, done: 5, failed: 160, invalid: 0, skipped: 0 });
  expect(sum.calls).toBe(4);
  expect(sum.failures).toHaveLength(100);
  expect(sum.failures_total).toBe(160);
});

test("refusals of parts are counted by status and words", () => {
  const refused = { status: 422, message: "no such account" };
  const some = { ...part({}), refusals: [{ count: 2, ...refused }] };
  const sum = addTotals(addTotals(some, part({})), { ...some, refusals: [{ count: 1, ...refused }] });
  expect(sum.refusals).toEqual([{ count: 3, ...refused }]);
});

test.for([
  [{ done: 3, skipped: 1 }, null, "completed"],
  [{ done: 3, failed: 1 }, null, "completed_with_failures"],
  [{ done: 3, invalid: 1 }, null, "completed_with_failures"],
  [{ done: 3 }, "cancelled", "cancelled"],
  [{ done: 3 }, "failed", "failed"],
] as const)("%o stopped by %s: %s", ([rows, stopped, status]) => {
  expect(bulkStatus(part(rows), stopped)).toBe(status);
});

test("the totals of rows that have ended: each under its status, those that failed with their owner and why", () => {
  const refused = { status: 422, message: "no such account" };
  const ends = [
    { line: 1, status: "done", reason: null },
    { line: 2, status: "skipped", reason: "already imported" },
    { line: 3, status: "failed", reason: "refused http_422", refused },
    { line: 4, status: "failed", reason: "lost_answer" },
  ] as const;
  expect(totalsOf(ends, (line) => `fp_${line}`)).toEqual({
    rows: { total: 0, done: 1, failed: 2, invalid: 0, skipped: 1 },
    calls: 0,
    answer_bytes: 0,
    failures: [
      { line: 3, owner: "fp_3", reason: "refused http_422", message: "no such account" },
      { line: 4, owner: "fp_4", reason: "lost_answer" },
    ],
    failures_total: 2,
    refusals: [{ count: 1, ...refused }],
  });
});
