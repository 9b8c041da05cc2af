import fc from "fast-check";
import { expect, test } from "vitest";
import {
  cancelled,
  paused,
  planned,
  reported,
  resumed,
  silenced,
  started,
  unstartedEnded,
} from "../../../../src/domain/onboarding/batch/batch-changes.js";
import {
  areOutputsExpected,
  type BatchState,
  type CustomerReport,
  customersOf,
  isProcessed,
  newBatch,
  rowsToPlan,
  waitingCustomers,
} from "../../../../src/domain/onboarding/batch/batch-state.js";
import { doneReport, planOf, rowToRun } from "../../../helpers/onboarding/batch-states.js";

const CIRCUIT = 3;
const after = (batch: BatchState, ...reports: readonly CustomerReport[]) =>
  reports.reduce((state, report) => reported(state, report, CIRCUIT), batch);
const begun = (rows: number, window = rows) =>
  started(planned(newBatch(rows), rows, planOf(0, rows)), window, 0).batch;
const startable = (batch: BatchState, window: number, now = 0) =>
  started(batch, window, now).rows.map(({ row }) => row);
const sumOf = ({ total, ...rest }: ReturnType<typeof customersOf>) =>
  Object.values(rest).reduce((sum, count) => sum + count, 0) - total;

test("starts no more than the window has room for, and continues when one is done", () => {
  expect(rowsToPlan(newBatch(5), 3)).toEqual({ from: 0, to: 3 });
  const first = started(planned(newBatch(5), 3, planOf(0, 3)), 2, 0);
  expect(first.rows.map(({ row }) => row)).toEqual([0, 1]);
  expect(startable(first.batch, 2)).toEqual([]);
  const second = started(after(first.batch, doneReport(1)), 2, 0);
  expect(second.rows.map(({ row }) => row)).toEqual([2]);
  expect(rowsToPlan(second.batch, 3)).toEqual({ from: 3, to: 5 });
  expect(customersOf(second.batch)).toMatchObject({ total: 5, queued: 2, running: 2, pass: 1 });
});

test("the same report again, or of a row that is not out, changes nothing", () => {
  const batch = after(begun(2, 1), doneReport(0));
  expect(after(batch, doneReport(0), doneReport(1))).toEqual(batch);
});

test("rows that have their outcome already count without running", () => {
  const batch = planned(newBatch(3), 3, {
    run: [rowToRun(2)],
    ended: [
      { status: "invalid", review: false },
      { status: "needs_customer", review: true },
    ],
  });
  expect(customersOf(batch)).toMatchObject({ invalid: 1, needs_customer: 1, queued: 1 });
  expect(batch.manualReview).toBe(1);
});

test.for([
  ["pass", "pass"],
  ["expired_no_response", "expired"],
  ["brand_new", "none"],
  ["total", "none"],
  ["queued", "none"],
])("an outcome %s counts as %s", ([status = "", count = ""]) => {
  const batch = after(begun(1), doneReport(0, { status }));
  expect(customersOf(batch)).toMatchObject({ total: 1, running: 0, [count]: 1 });
  expect(isProcessed(batch)).toBe(true);
});

test("the same message on so many completions in a row opens the circuit: nothing is started", () => {
  const failed = (row: number, messageHash: string) => doneReport(row, { status: "failed", messageHash });
  const good = after(begun(7, 4), failed(0, "m1"), failed(1, "m1"), doneReport(2), failed(3, "m2"));
  expect(good.paused).toBeNull();
  const open = after(started(good, 2, 0).batch, failed(4, "m2"), failed(5, "m2"));
  expect(open.paused).toMatchObject({ kind: "circuit", reason: expect.stringContaining("3 customers") });
  expect(startable(open, 2)).toEqual([]);
  expect(resumed(open)).toMatchObject({ paused: null, resumes: 1 });
});

test("the circuit does not pause a batch that has no row left to start: it comes to its end", () => {
  const reports = [0, 1, 2, 3, 4].map((row) => doneReport(row, { status: "failed", messageHash: "m1" }));
  expect(after(begun(5), ...reports.slice(0, 4)).paused).toBeNull();
  const batch = after(begun(5), ...reports);
  expect(batch.paused).toBeNull();
  expect(isProcessed(batch)).toBe(true);
});

test("counts what the service refused by its words, each row once", () => {
  const refused = { status: 400, message: 'field "key": no such playbook' };
  const failed = (row: number) => doneReport(row, { status: "failed", refused });
  const other = doneReport(2, { status: "failed", refused: { status: 404, message: null } });
  const batch = after(begun(4), failed(0), failed(1), failed(1), other, doneReport(3));
  expect(batch.refusals).toEqual([
    { count: 2, ...refused },
    { count: 1, status: 404, message: null },
  ]);
});

test("refused credentials put the row back and pause the batch; resumed, it runs again", () => {
  const batch = after(begun(2), { kind: "requeued", row: 0, calls: 1, answer_bytes: 10 });
  expect(batch.paused?.kind).toBe("credentials");
  expect(customersOf(batch)).toMatchObject({ queued: 1, running: 1 });
  expect(startable(batch, 2, 5)).toEqual([]);
  expect(startable(resumed(batch), 2, 5)).toEqual([0]);
});

// It said "a call that the log names".
test("a call that the key may not make is named in the pause", () => {
  const batch = after(begun(1), {
    ...{ kind: "requeued", row: 0, calls: 1, answer_bytes: 10, unauthorized: "create_onboarding" },
  });
  expect(batch.paused?.reason).toMatch(/^the key may not call create_onboarding: .*, then resume$/);
});

// Only "running" was said of it, for an hour.
test("a row that looks for what a lost request did is named as waiting, until that is known or it runs again", () => {
  const at = "2026-11-21T02:15:00Z";
  const waits = { owner: "line 2", reason: "unresolved", attempts: 2, next_try_at: at, gives_up_at: at };
  const batch = after(begun(2), { kind: "waits", row: 0, waits });
  expect(waitingCustomers(batch)).toMatchObject({ waiting: [waits], waiting_total: 1 });
  expect(waitingCustomers(after(batch, { kind: "waits", row: 0, waits: null })).waiting_total).toBe(0);
  const again = after(batch, { kind: "requeued", row: 0, calls: 0, answer_bytes: 0 });
  expect([waitingCustomers(again).waiting_total, again.waiting.at(-1)]).toEqual([
    0,
    expect.not.objectContaining({ waits }),
  ]);
});

test("refused credentials of a posted row pause the batch, and the row stays outstanding", () => {
  const batch = after(begun(2), { kind: "refused", row: 0, calls: 1, answer_bytes: 10 });
  expect(batch).toMatchObject({ paused: { kind: "credentials" }, calls: 1, answer_bytes: 10 });
  expect(customersOf(batch).running).toBe(2);
});

test("silent rows are those that gave no sign of life for so long, once each time", () => {
  const later = started(planned(begun(1), 2, planOf(1, 2)), 2, 50).batch;
  const { batch, rows } = silenced(later, 100, 100);
  expect(rows.map(({ row }) => row)).toEqual([0]);
  expect(silenced(batch, 100, 149).rows).toEqual([]);
  expect(silenced(batch, 100, 150).rows.map(({ row }) => row)).toEqual([1]);
});

test("a paused batch that is cancelled is paused no more, whatever comes", () => {
  const batch = cancelled(paused(newBatch(3), { kind: "asked", reason: "by hand" }));
  expect(batch.paused).toBeNull();
  expect(paused(batch, { kind: "credentials", reason: "refused" }).paused).toBeNull();
});

test("a batch that is paused twice keeps the first reason", () => {
  const batch = paused(newBatch(3), { kind: "asked", reason: "by hand" });
  expect(paused(batch, { kind: "credentials", reason: "refused" }).paused?.kind).toBe("asked");
});

test("cancelled, what waits counts as ended, and nothing is started", () => {
  const batch = cancelled(begun(3, 1));
  expect(startable(batch, 3)).toEqual([]);
  const ended = batch.waiting.map(() => ({ status: "cancelled", review: false }));
  expect(customersOf(unstartedEnded(batch, ended))).toMatchObject({ cancelled: 2, running: 1 });
});

test("a playbook that never had an output is not asked for one for ever", () => {
  const without = Array.from({ length: 50 }, (_, row) => doneReport(row, { outputCame: false }));
  const batch = after(begun(60), ...without.slice(1));
  expect(areOutputsExpected(batch)).toBe(true);
  expect(areOutputsExpected(after(batch, ...without.slice(0, 1)))).toBe(false);
  expect(areOutputsExpected(after(batch, doneReport(0, { outputCame: true })))).toBe(true);
});

test("whatever happens, the counts add up to the total, also over continue-as-new", () => {
  const step = fc.oneof(
    fc.record({ do: fc.constant("start" as const), window: fc.integer({ min: 1, max: 6 }) }),
    fc.record({
      do: fc.constant("report" as const),
      row: fc.nat(14),
      status: fc.constantFrom("pass", "fail", "error", "needs_customer", "pending", "weird"),
      kind: fc.constantFrom("done" as const, "requeued" as const),
    }),
    fc.constantFrom(
      { do: "plan" as const },
      { do: "resume" as const },
      { do: "carry" as const },
      { do: "cancel" as const },
    ),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      let batch = newBatch(10);
      for (const [second, one] of steps.entries()) {
        const now = second * 1_000;
        if (one.do === "plan") {
          const rows = rowsToPlan(batch, 4);
          if (rows !== undefined) batch = planned(batch, rows.to, planOf(rows.from, rows.to));
        } else if (one.do === "start") batch = started(batch, one.window, now).batch;
        else if (one.do === "resume") batch = resumed(batch);
        else if (one.do === "cancel") batch = cancelled(batch);
        else if (one.do === "carry") batch = structuredClone(batch);
        else if (one.kind === "done") {
          batch = after(batch, doneReport(one.row, { status: one.status }));
        } else batch = after(batch, { kind: "requeued", row: one.row, calls: 0, answer_bytes: 0 });
        expect(sumOf(customersOf(batch))).toBe(0);
        expect(customersOf(batch).running).toBe(batch.outstanding.length);
      }
    }),
  );
});
