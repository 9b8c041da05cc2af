import fc from "fast-check";
import { expect, test } from "vitest";
import {
  type ChunkPlan,
  type CustomerReport,
  newBatch,
  type RowToRun,
} from "../../../../src/domain/onboarding/batch/batch-rows.js";
import { BatchWindow } from "../../../../src/domain/onboarding/batch/batch-window.js";

const CIRCUIT = 3;
const open = (rows: number) => new BatchWindow(newBatch(rows), CIRCUIT);
const planned = (row: number): RowToRun => ({
  row,
  line: row + 2,
  attempt: 1,
  identity: `i${row}`,
  rowKey: `k${row}`,
  prepare: false,
  open: null,
  retry: false,
  before: null,
});
const planOf = (from: number, to: number): ChunkPlan => ({
  run: Array.from({ length: to - from }, (_, at) => planned(from + at)),
  ended: [],
  staged: [],
});
const done = (row: number, status = "pass", messageHash: string | null = null): CustomerReport => ({
  kind: "done",
  row,
  status,
  requiresManualReview: false,
  record: { row, line: row + 2, attempt: 1, version: 1 },
  calls: 2,
  messageHash,
  outputAwaited: false,
});
const sumOf = ({ total, ...rest }: BatchWindow["counts"]) =>
  Object.values(rest).reduce((sum, count) => sum + count, 0) - total;

function started(rows: number, window = rows): BatchWindow {
  const batch = open(rows);
  batch.applyPlan(rows, planOf(0, rows));
  batch.takeToStart(window, 0);
  return batch;
}

test("starts no more than the window has room for, and goes on when one is done", () => {
  const batch = open(5);
  expect(batch.rowsToPlan(3)).toEqual({ from: 0, to: 3 });
  batch.applyPlan(3, planOf(0, 3));
  expect(batch.takeToStart(2, 0).map(({ row }) => row)).toEqual([0, 1]);
  expect(batch.takeToStart(2, 0)).toEqual([]);
  batch.report(done(1), 0);
  expect(batch.takeToStart(2, 0).map(({ row }) => row)).toEqual([2]);
  expect(batch.rowsToPlan(3)).toEqual({ from: 3, to: 5 });
  expect(batch.counts).toMatchObject({ total: 5, queued: 2, running: 2, pass: 1 });
});

test("the same report again, or of a row that is not out, changes nothing", () => {
  const batch = started(2, 1);
  batch.report(done(0), 0);
  const before = batch.carry();
  batch.report(done(0), 0);
  batch.report(done(1), 0);
  expect(batch.carry()).toEqual(before);
});

test("rows that have their outcome already count without running", () => {
  const batch = open(3);
  const record = { row: 0, line: 2, attempt: 1, version: 1 };
  batch.applyPlan(3, {
    run: [planned(2)],
    staged: [],
    ended: [
      { status: "invalid", requiresManualReview: false, record },
      { status: "needs_customer", requiresManualReview: true, record: null },
    ],
  });
  expect(batch.counts).toMatchObject({ invalid: 1, needs_customer: 1, queued: 1 });
  expect(batch.manualReview).toBe(1);
  expect(batch.takeToRecord(10)).toEqual({ chunk: 0, rows: [record] });
  expect(batch.takeToRecord(10)).toBeUndefined();
});

test.for([
  ["pass", "pass"],
  ["expired_no_response", "expired"],
  ["brand_new", "none"],
  ["total", "none"],
  ["queued", "none"],
])("an outcome %s counts as %s", ([status = "", count = ""]) => {
  const batch = started(1);
  batch.report(done(0, status), 0);
  expect(batch.counts).toMatchObject({ total: 1, running: 0, [count]: 1 });
  expect(batch.done).toBe(true);
});

test("the same message on so many completions in a row opens the circuit: nothing is started", () => {
  const batch = started(7, 4);
  batch.report(done(0, "error", "m1"), 0);
  batch.report(done(1, "error", "m1"), 0);
  batch.report(done(2, "pass"), 0);
  expect(batch.paused).toBeNull();
  for (const [row, message] of [[3, "m2"]] as const) batch.report(done(row, "error", message), 0);
  batch.takeToStart(2, 0);
  batch.report(done(4, "failed", "m2"), 0);
  batch.report(done(5, "failed", "m2"), 0);
  expect(batch.paused).toMatchObject({ kind: "circuit", reason: expect.stringContaining("3 customers") });
  expect(batch.takeToStart(2, 0)).toEqual([]);
  batch.resume();
  expect(batch.paused).toBeNull();
});

test("the circuit does not pause a batch that has no row left to start: it comes to its end", () => {
  const batch = started(5, 5);
  for (const row of [0, 1, 2, 3]) batch.report(done(row, "failed", "m1"), 0);
  expect(batch.paused).toBeNull();
  batch.report(done(4, "failed", "m1"), 0);
  expect(batch.paused).toBeNull();
  expect(batch.done).toBe(true);
});

test("counts what the service refused by its words, also through continue-as-new", () => {
  const refused = { status: 400, message: 'field "key": no such playbook' };
  const batch = started(4);
  batch.report({ ...done(0, "failed"), kind: "done", refused } as CustomerReport, 0);
  batch.report({ ...done(1, "failed"), kind: "done", refused } as CustomerReport, 0);
  batch.report({ ...done(1, "failed"), kind: "done", refused } as CustomerReport, 0);
  const next = new BatchWindow(structuredClone(batch.carry()), CIRCUIT);
  next.report({ ...done(2, "failed"), refused: { status: 404, message: null } } as CustomerReport, 0);
  next.report(done(3), 0);
  expect(next.refusals).toEqual([
    { count: 2, ...refused },
    { count: 1, status: 404, message: null },
  ]);
});

test("refused credentials put the row back and stop the batch; resumed, it runs again", () => {
  const batch = started(2);
  batch.report({ kind: "requeued", row: 0, calls: 1 }, 5);
  expect(batch.paused?.kind).toBe("credentials");
  expect(batch.counts).toMatchObject({ queued: 1, running: 1 });
  expect(batch.takeToStart(2, 5)).toEqual([]);
  batch.resume();
  expect(batch.takeToStart(2, 5).map(({ row }) => row)).toEqual([0]);
});

test("a customer who was busy is asked for again a little later", () => {
  const batch = started(1);
  batch.report({ kind: "free", row: 0 }, 100);
  expect(batch.takeToStart(1, 100)).toEqual([]);
  expect(batch.nextStart).toBe(1_100);
  expect(batch.takeToStart(1, 1_100)).toEqual([planned(0)]);
  expect(batch.done).toBe(false);
});

test("silent rows are those of which nothing was heard for so long", () => {
  const batch = started(2);
  batch.heard([1], 50);
  expect(batch.silent(100, 100).map(({ row }) => row)).toEqual([0]);
});

test("a raised limit adds rows, a lower one and a cancelled batch take none", () => {
  const batch = open(2);
  batch.raiseLimit(5);
  batch.raiseLimit(3);
  expect(batch.counts).toMatchObject({ total: 5, queued: 5 });
  batch.cancel();
  batch.raiseLimit(9);
  expect(batch.counts.total).toBe(5);
});

test("a paused batch that is cancelled stands still no more, whatever comes", () => {
  const batch = open(3);
  batch.pause({ kind: "asked", reason: "by hand" });
  batch.cancel();
  expect(batch.paused).toBeNull();
  batch.pause({ kind: "credentials", reason: "refused" });
  expect(batch.paused).toBeNull();
});

test("cancelled, what waits is taken out to be ended, and nothing is started", () => {
  const batch = started(3, 1);
  batch.cancel();
  expect(batch.takeToStart(3, 0)).toEqual([]);
  const left = batch.takeUnstarted();
  expect(left.map(({ row }) => row)).toEqual([1, 2]);
  batch.endUnstarted(left.map(() => ({ status: "cancelled", requiresManualReview: false, record: null })));
  expect(batch.counts).toMatchObject({ cancelled: 2, running: 1 });
});

test("a playbook that never had an output is not asked for one for ever", () => {
  const batch = open(1);
  for (let run = 0; run < 50; run += 1) batch.report({ kind: "output", found: false, calls: 1 }, 0);
  expect(batch.outputsExpected).toBe(false);
  batch.report({ kind: "output", found: true, calls: 1 }, 0);
  expect(batch.outputsExpected).toBe(true);
  expect(batch.calls).toBe(51);
});

test("whatever happens, the counts add up to the total, also over continue-as-new", () => {
  const step = fc.oneof(
    fc.record({ do: fc.constant("start" as const), window: fc.integer({ min: 1, max: 6 }) }),
    fc.record({
      do: fc.constant("report" as const),
      row: fc.nat(14),
      status: fc.constantFrom("pass", "fail", "error", "needs_customer", "pending", "weird"),
      kind: fc.constantFrom("done" as const, "requeued" as const, "free" as const),
    }),
    fc.constantFrom(
      { do: "plan" as const },
      { do: "resume" as const },
      { do: "carry" as const },
      { do: "cancel" as const },
      { do: "raise" as const },
      { do: "record" as const },
    ),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      let batch = open(10);
      const recorded: number[] = [];
      let ended = 0;
      for (const [now, one] of steps.entries()) {
        const at = now * 1_000;
        if (one.do === "plan") {
          const rows = batch.rowsToPlan(4);
          if (rows !== undefined) batch.applyPlan(rows.to, planOf(rows.from, rows.to));
        } else if (one.do === "start") batch.takeToStart(one.window, at);
        else if (one.do === "resume") batch.resume();
        else if (one.do === "cancel") batch.cancel();
        else if (one.do === "raise") batch.raiseLimit(15);
        else if (one.do === "carry") batch = new BatchWindow(structuredClone(batch.carry()), CIRCUIT);
        else if (one.do === "record") {
          recorded.push(...(batch.takeToRecord(3)?.rows ?? []).map(({ line }) => line));
        } else if (one.kind === "done") {
          const out = batch.outstanding.some(({ row }) => row === one.row);
          if (out) ended += 1;
          batch.report(done(one.row, one.status), at);
        } else if (one.kind === "requeued") batch.report({ kind: "requeued", row: one.row, calls: 0 }, at);
        else batch.report({ kind: "free", row: one.row }, at);
        expect(sumOf(batch.counts)).toBe(0);
        expect(batch.counts.running).toBe(batch.outstanding.length);
      }
      recorded.push(...(batch.takeToRecord(100)?.rows ?? []).map(({ line }) => line));
      expect(recorded).toHaveLength(ended);
      expect(new Set(recorded).size).toBe(ended);
    }),
  );
});
