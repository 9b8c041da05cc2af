import type { WorkflowHandle } from "@temporalio/client";
import { expect, test, vi } from "vitest";
import { ONBOARD, rowsReached } from "../../../src/cli/onboarding/batch-run.js";
import type { Preflight } from "../../../src/cli/session/preflight.js";
import { createProgressView } from "../../../src/cli/shell/progress-view.js";
import { outcomeOf } from "../../../src/cli/shell/run.js";
import type { RunEnd } from "../../../src/cli/shell/watch.js";
import { exitCodeOfRun } from "../../../src/cli/terminal/exit-code.js";
import type { BatchPause } from "../../../src/domain/onboarding/batch/batch-state.js";
import { type OnboardSummary, queuedRows } from "../../../src/domain/onboarding/batch/batch-totals.js";
import { forgottenRow } from "../../../src/domain/onboarding/customer.js";
import type { BatchProgress } from "../../../src/domain/onboarding/messages.js";
import { NO_REASON } from "../../../src/domain/run.js";
import { waitingState } from "../../../src/domain/waiting.js";
import { createLocalStore } from "../../../src/lake/store/local/local-store.js";
import { SILENT } from "../../helpers/command/silent-terminal.js";
import { lakeOfRows } from "../../helpers/query/lake-of-rows.js";

const BATCH = "onb_0123456789abcdef01234567";
const RUN = "onboard-20261121T021500Z-3f9c2a";
const CIRCUIT = { kind: "circuit", reason: "20 customers in a row ended with the same error" } as const;
const REFUSED = [{ count: 20, status: 400, message: 'field "key": no such playbook' }];

const progressOf = (paused: BatchPause | null, more: Partial<BatchProgress> = {}): BatchProgress => ({
  runId: RUN,
  batchId: BATCH,
  customers: { ...queuedRows(30), queued: 10, failed: 20 },
  ...waitingState([]),
  manualReview: 0,
  calls: 20,
  answer_bytes: 4_000,
  refusals: REFUSED,
  paused,
  cancelling: false,
  ...more,
});
const ended = (end: RunEnd<OnboardSummary>, sofar: BatchProgress) =>
  outcomeOf(
    { kind: ONBOARD, start: () => Promise.reject(new Error("a report starts nothing")) },
    {
      started: {
        handle: { workflowId: `onboard/scope/${BATCH}` } as WorkflowHandle,
        runId: RUN,
        memo: {},
        joined: false,
      },
      end,
      sofar,
      watchedMs: 1_200,
    },
    {} as Preflight,
  );
const resultOf = (status: OnboardSummary["status"]): OnboardSummary => ({
  run_id: RUN,
  batch_id: BATCH,
  status,
  ...NO_REASON,
  customers: { ...queuedRows(30), queued: 0, failed: 30 },
  manual_review: 0,
  calls: 30,
  answer_bytes: 6_000,
  refusals: [{ ...REFUSED[0]!, count: 30 }],
  duration_ms: 1_200,
  lake_root: null,
});

test("a batch that its circuit paused says what the service said and what corrects it, and never completed", async () => {
  const { summary, text, notes, unauthorized } = await ended({ kind: "halted" }, progressOf(CIRCUIT));
  expect(text).toBe(
    [
      `batch     ${BATCH}`,
      `run       ${RUN}`,
      "status    paused after 1.2 s",
      "customers 30: 10 queued, 20 failed",
      'refused   20 × 400: field "key": no such playbook',
      "calls     20",
    ].join("\n"),
  );
  expect(notes).toEqual([
    'paused: 20 customers in a row ended with the same error (400: field "key": no such playbook)',
    `run ${RUN} is paused. Read error_message in the table onboardings, then:`,
    `- if the playbook or the file is wrong: nightledger runs cancel ${BATCH},`,
    "  and nightledger onboard with the right one, which is a new batch;",
    `- if anything else is wrong, correct it at the service: nightledger runs resume ${BATCH},`,
    `  and, once it has ended: nightledger runs retry ${BATCH}`,
  ]);
  expect([text, ...notes].join()).not.toContain("completed");
  expect(exitCodeOfRun(summary, unauthorized)).toBe(1);
});

test.each(["completed_with_failures", "cancelled"] as const)(
  "a batch that was paused and then %s says nothing of the pause",
  async (status) => {
    const end = { kind: "completed", result: resultOf(status) } as const;
    const { text, notes } = await ended(end, progressOf(CIRCUIT));
    expect([text, ...notes].join("\n")).not.toMatch(/paused|stands still|resume/);
    expect(text).toContain('refused   30 × 400: field "key": no such playbook');
    const advice = notes.filter((note) => note.includes(`nightledger runs retry ${BATCH}`));
    expect(advice).toHaveLength(status === "cancelled" ? 0 : 1);
  },
);

test("refused credentials are exit 4, and resuming is what continues", async () => {
  const pause = { kind: "credentials", reason: "the service refused the credentials" } as const;
  const { summary, notes, unauthorized } = await ended(
    { kind: "halted" },
    progressOf(pause, { refusals: [] }),
  );
  expect(notes).toEqual([
    "paused: the service refused the credentials",
    expect.stringContaining(`nightledger runs resume ${BATCH}`),
  ]);
  expect(exitCodeOfRun(summary, unauthorized)).toBe(4);
});

test("a batch whose rows are all processed is not halted, whatever its pause says: it ends by itself", () => {
  const halted = (more: Partial<BatchProgress>) => ONBOARD.isHalted?.(progressOf(CIRCUIT, more), 5_000);
  expect(halted({})).toBe(true);
  expect(halted({ customers: { ...queuedRows(30), queued: 0, failed: 30 } })).toBe(false);
});

// A second `onboard` of the file said "2 failed, calls 0", and neither why nor how to go on.
test("a run that tried no failed row again says where their reasons are", async () => {
  const result = { ...resultOf("completed_with_failures"), calls: 0, refusals: [] };
  const { notes } = await ended({ kind: "completed", result }, progressOf(null));
  expect(notes).toEqual([
    `why rows failed: nightledger runs show ${BATCH}`,
    `once that is corrected: nightledger runs retry ${BATCH}`,
  ]);
});

// Figures never go back, so the line kept the most that ever ran: "30/30 customers, 12 running".
test("what runs becomes fewer in the lines of a batch, too", () => {
  vi.useFakeTimers();
  const said: string[] = [];
  const view = createProgressView({ ...SILENT, say: (line) => void said.push(line) }, ONBOARD.progress);
  view.show(progressOf(null, { customers: { ...queuedRows(30), queued: 10, running: 12, pass: 8 } }));
  vi.advanceTimersByTime(5_000);
  view.show(progressOf(null, { customers: { ...queuedRows(30), queued: 0, running: 0, pass: 30 } }));
  vi.useRealTimers();
  expect(said.at(-1)).toMatch(/30\/30 customers, 0 running/);
});

// They were counted, so that for each customer who was forgotten one row fewer at the end was tried again.
test("a retry reaches the last row that has an outcome, whoever before it was forgotten", async () => {
  const onboardings = [2, 5].map((line) => ({
    batch_id: BATCH,
    line,
    attempt: 1,
    version: 1,
    status: "failed",
  }));
  const lake = await lakeOfRows({ onboardings });
  async function* everyRow() {
    for (const [row, line] of [2, 3, 5, 6].entries()) yield forgottenRow({ row, line } as never);
  }
  try {
    expect(await rowsReached(createLocalStore(lake.directory), { everyRow }, BATCH)).toBe(3);
  } finally {
    await lake.release();
  }
});
