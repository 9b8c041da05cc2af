import type { BatchPause } from "../../domain/onboarding/batch/batch-state.js";
import { batchStatus, type OnboardSummary, queuedRows } from "../../domain/onboarding/batch/batch-totals.js";
import { followWorkflowId } from "../../domain/onboarding/identity.js";
import type { BatchProgress } from "../../domain/onboarding/messages.js";
import { DEFAULT_TIMING } from "../../domain/onboarding/timing.js";
import { refusalsInWords, refusalWords } from "../../domain/refusals.js";
import type { RunSummary } from "../../domain/run.js";
import { allWaiting } from "../../domain/waiting.js";
import { counted } from "../../domain/words/counted.js";
import type { Labelled } from "../../domain/words/texts.js";
import { type BatchTerms, type OnboardingOptions, startOnboarding } from "../../intake/onboarding/start.js";
import type { BatchFacts, FrozenBatches } from "../../lake/onboarding/frozen-batch.js";
import { rowsOf, withStoreQuery } from "../../lake/query/store-query.js";
import type { ObjectStore } from "../../lake/store/object-store.js";
import { onboardings } from "../../lake/tables/onboardings.js";
import { giveUpRun } from "../../temporal/give-up.js";
import type { StartedRun } from "../../temporal/running-workflows.js";
import type { JobSession } from "../session/job-session.js";
import { placeOf } from "../session/preflight.js";
import { type Job, RETRY_ONLY, type RunKind } from "../shell/kind.js";
import type { ProgressForm } from "../shell/progress-view.js";
import type { Terminal } from "../terminal/terminal.js";
import { waitUntilSettled } from "./settled-wait.js";

/** How long the command watches a paused batch for its running customers to finish. */
const RUNNING_OUT_MS = 5_000;

const ONBOARD_PROGRESS: ProgressForm<BatchProgress> = {
  bar: "onboarding {bar} {done}/{all} customers · {running} running",
  figures: ({ customers: { total, queued, running } }) => ({
    done: total - queued - running,
    total,
    // A text: numbers are kept from falling, and this one falls.
    running: String(running),
  }),
  waiting: (progress) => allWaiting([progress]),
  line: ({ done, total, running }) => `onboarding: ${done}/${total} customers, ${running} running`,
  paced: ({ customers: { total, queued, running } }) => ({
    amount: total - queued - running,
    unit: "customers",
    expected: total,
  }),
};

type BatchTold = Omit<OnboardSummary, keyof RunSummary>;

/** The runs of batches: a command may name the batch or one of its runs. */
export const ONBOARD: RunKind<BatchProgress, BatchTold> = {
  kind: "onboard",
  rows: "customers",
  progress: ONBOARD_PROGRESS,
  remark: ({ cancelling }, before) =>
    cancelling && !before?.cancelling ? "cancelling: rows in work are finished first" : undefined,
  isHalted({ customers: { running, queued } }, pausedMs) {
    // A batch without rows left ends by itself in a moment.
    return running + queued > 0 && (running === 0 || pausedMs >= RUNNING_OUT_MS);
  },
  name: ({ handle }) => ["batch", batchOf(handle.workflowId)],
  left({ started: { runId, memo, handle }, end, sofar }) {
    const { paused = null, refusals = [] } = sofar ?? {};
    const totals = {
      ...{ batch_id: batchOf(handle.workflowId), refusals },
      customers: sofar?.customers ?? queuedRows(Number(memo.rows ?? 0)),
      manual_review: sofar?.manualReview ?? 0,
      calls: sofar?.calls ?? 0,
      answer_bytes: sofar?.answer_bytes ?? 0,
    };
    const unauthorized = end?.kind === "halted" && paused?.kind === "credentials";
    return { totals, notes: paused === null ? [] : pauseNotes(paused, runId, totals), unauthorized };
  },
  notes: endNotes,
  summary: batchSummary,
  triedBy: followWorkflowId,
  next: ({ job_id }) => [`${RETRY_ONLY} runs retry ${job_id}`],
};

export function batchOf(workflowId: string): string {
  return workflowId.slice(workflowId.lastIndexOf("/") + 1);
}

/** The run of a batch as its command asks for it. */
export function batchJob(
  terminal: Terminal,
  { until, deadline = DEFAULT_TIMING.deadline }: Pick<BatchTerms, "until" | "deadline">,
  start: Job["start"],
): Job<BatchProgress, BatchTold> {
  if (until !== "settled") return { kind: ONBOARD, start };
  return {
    kind: ONBOARD,
    start,
    afterEnd(session, result) {
      terminal.say("every row is processed; waiting for customers and reviewers");
      return waitUntilSettled(session, result, Date.now() + deadline);
    },
  };
}

/** Starts the run of a frozen batch, or joins it. */
export function startBatch(
  { temporal, preflight, sealed, signal }: JobSession,
  facts: BatchFacts,
  options: OnboardingOptions,
): Promise<StartedRun> {
  return startOnboarding(temporal.client, { ...placeOf(preflight), sealed, facts, options, signal });
}

/** Says what to do about a paused batch, which can't change its playbook or file. */
function pauseNotes(
  { kind, reason }: BatchPause,
  run_id: string,
  { batch_id, refusals }: BatchTold,
): readonly string[] {
  const [said] = refusals;
  const words =
    kind === "circuit" && said !== undefined && refusals.length === 1 ? ` (${refusalWords(said)})` : "";
  const paused = [`paused: ${reason}${words}`];
  const resume = `nightledger runs resume ${batch_id}`;
  if (kind !== "circuit") return [...paused, `run ${run_id} is paused; \`${resume}\` continues it`];
  return [
    ...paused,
    `run ${run_id} is paused. Read error_message in the table onboardings, then:`,
    `- if the playbook or the file is wrong: nightledger runs cancel ${batch_id},`,
    "  and nightledger onboard with the right one, which is a new batch;",
    `- if anything else is wrong, correct it at the service: ${resume},`,
    `  and, once it has ended: nightledger runs retry ${batch_id}`,
  ];
}

/** Says what to do about failed rows of a batch that has ended. Refusals are those of its last run only. */
function endNotes({ status, batch_id, refusals, customers }: OnboardSummary): readonly string[] {
  if (status !== "completed_with_failures") return [];
  const { cancelled } = customers;
  const again =
    cancelled === 0
      ? []
      : [
          `${counted(cancelled, "customer is", "customers are")} in another batch: run the same command again`,
        ];
  if (batchStatus({ ...customers, cancelled: 0 }, false) === "completed") return again;
  if (refusals.length === 0) {
    return [
      ...again,
      `why rows failed: nightledger runs show ${batch_id}`,
      `once that is corrected: nightledger runs retry ${batch_id}`,
    ];
  }
  return [
    ...again,
    "what the service refused:",
    "- if the playbook or the file is wrong: nightledger onboard with the right one,",
    "  which is a new batch;",
    `- if anything else is wrong, correct it at the service: nightledger runs retry ${batch_id}`,
  ];
}

function batchSummary({ customers, manual_review, refusals, calls }: BatchTold): Labelled[] {
  const { total, ...counts } = customers;
  const shown = Object.entries(counts).filter(([, count]) => count > 0);
  const review = `${counted(manual_review, "waits", "wait")} for a manual review; see the table onboardings`;
  return [
    ["customers", `${total}: ${shown.map(([name, count]) => `${count} ${name}`).join(", ")}`],
    ["review", manual_review > 0 ? review : null],
    ...refusalsInWords(refusals),
    ["calls", calls],
  ];
}

/**
 * How long a cancelled batch may make no progress. A customer's step has fifteen seconds to end, and in synchronous mode
 * the thirty of a decision too (docs/use/onboarding.md, "What stops a batch").
 */
const CANCEL_MS = 60_000;

/** Gives up a batch's run; its customers continue, unless `cleanUp` stops them. */
export function giveUpBatch(
  { temporal: { client }, signal }: JobSession,
  run: StartedRun,
  cleanUp: () => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  return giveUpRun(client, run, cleanUp, { cancelMs: CANCEL_MS, signal });
}

/** Counts the rows up to the last line with an outcome. Rows run in the file's order: no limit goes below this. */
export async function rowsReached(
  store: ObjectStore,
  batches: Pick<FrozenBatches, "everyRow">,
  batchId: string,
): Promise<number> {
  const sql = `select coalesce(max(line), 0) as last from onboardings where batch_id = '${batchId}'`;
  const [found] = await withStoreQuery(store, (query) => rowsOf<{ last: number | bigint }>(query, sql), {
    tables: [onboardings],
  });
  let reached = 0;
  for await (const { row, line } of batches.everyRow(batchId))
    if (line <= Number(found?.last)) reached = Math.max(reached, row + 1);
  return reached;
}
