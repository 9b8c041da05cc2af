import type { OnboardSummary } from "../../domain/onboarding/batch/batch-totals.js";
import { queuedRows } from "../../domain/onboarding/batch/batch-totals.js";
import type { BatchProgress } from "../../domain/onboarding/messages.js";
import { FrozenBatches } from "../../lake/onboarding/frozen-batch.js";
import type { SealedStore } from "../../lake/store/sealed-store.js";
import type { JobSurroundings } from "../session/preflight.js";
import type { ProgressForm } from "../session/progress-view.js";
import { createProgressView } from "../session/progress-view.js";
import { type RunEnd, watchRun } from "../session/run-watch.js";
import type { TemporalSession } from "../session/temporal-session.js";
import { EXIT } from "../terminal/exit-code.js";
import type { Terminal } from "../terminal/terminal.js";
import type { BatchFlags } from "./flags.js";
import { waitUntilSettled } from "./settled-wait.js";
import type { StartedBatch } from "./start.js";

/** Customers of a paused batch have this long to come to their end while the command watches. */
const RUNNING_OUT_MS = 5_000;

/** What a command that runs a batch works with. */
export interface BatchSession {
  readonly temporal: TemporalSession;
  readonly sealed: SealedStore;
  readonly signal: AbortSignal;
}

/** A batch as its command leaves it. */
export interface FollowedBatch {
  readonly started: StartedBatch;
  /** Undefined where the run goes on without the command. */
  readonly end: RunEnd<OnboardSummary> | undefined;
  /** What was seen last. */
  readonly sofar: BatchProgress | undefined;
  readonly watchedMs: number;
}

/** Shows a batch's progress to its end, or until it stands still; with `--detach` only names it. */
export async function followBatch(
  terminal: Terminal,
  surroundings: JobSurroundings,
  { temporal, sealed, signal }: BatchSession,
  started: StartedBatch,
  flags: Pick<BatchFlags, "detach" | "until"> & { readonly deadline?: number },
): Promise<FollowedBatch> {
  const since = Date.now();
  const { runId, batchId, joined, handle } = started;
  terminal.say(`batch ${batchId}`);
  terminal.say(joined ? `joined run ${runId}, which is going on` : `run ${runId}`);
  if (flags.detach) return { started, end: undefined, sofar: undefined, watchedMs: 0 };
  let sofar: BatchProgress | undefined;
  let pausedAt: number | undefined;
  const view = createProgressView(terminal, ONBOARD_PROGRESS);
  try {
    let end = await watchRun<BatchProgress, OnboardSummary>(temporal, handle, {
      signal,
      onProgress: (progress) => {
        if (progress.paused !== null && !sofar?.paused) view.say(`paused: ${progress.paused.reason}`);
        sofar = progress;
        view.show(progress);
      },
      isHalted: ({ paused, customers, recorded }) => {
        pausedAt = paused === null ? undefined : (pausedAt ?? Date.now());
        if (pausedAt === undefined || !recorded) return false;
        return customers.running === 0 || Date.now() - pausedAt >= RUNNING_OUT_MS;
      },
      onSilence: () => view.silent(temporal.embedded),
      onTrouble: (words) => view.say(words),
    });
    if (flags.until === "settled" && end.kind === "completed") {
      terminal.say("every row is machine done; waiting for customers and reviewers");
      const notAfter = Date.now() + (flags.deadline ?? 0);
      const batches = new FrozenBatches(sealed);
      end = await waitUntilSettled(surroundings, end.result, {
        ...{ batches, signal, notAfter, lost: temporal.lost },
      });
    }
    // A cluster's run does not end with its command: Ctrl-C only detaches.
    const left = !temporal.embedded && end.kind === "interrupted";
    return { started, end: left ? undefined : end, sofar, watchedMs: Date.now() - since };
  } finally {
    view.stop();
  }
}

/** Says how a batch went; the exit code. */
export function reportBatch(terminal: Terminal, followed: FollowedBatch, json: boolean): number {
  const { started, end, sofar } = followed;
  const summary = summaryOf(followed);
  terminal.result(json ? JSON.stringify(summary) : batchText(summary));
  const again = "the same command goes on with it";
  if (end === undefined)
    terminal.say(`run ${started.runId} goes on without this command; the same command joins it`);
  else if (end.kind === "interrupted")
    terminal.say(`interrupted: run ${started.runId} stands as it is, and ${again}`);
  else if (end.kind === "failed") terminal.say(`run ${started.runId} failed: ${end.message}`);
  else if (end.kind === "halted") {
    terminal.say(
      `run ${started.runId} stands still; \`nightledger runs resume ${started.batchId}\` goes on with it`,
    );
  }
  return exitCode(summary, end, sofar?.paused?.kind === "credentials");
}

function exitCode(
  { status }: OnboardSummary,
  end: RunEnd<OnboardSummary> | undefined,
  unauthorized: boolean,
): number {
  if (end?.kind === "halted" && unauthorized) return EXIT.credentials;
  return status === "completed" || status === "running" ? EXIT.completed : EXIT.failures;
}

function summaryOf({ started, end, sofar, watchedMs }: FollowedBatch): OnboardSummary {
  if (end?.kind === "completed") return end.result;
  const statuses = {
    halted: "paused",
    interrupted: "paused",
    cancelled: "cancelled",
    failed: "failed",
  } as const;
  return {
    run_id: started.runId,
    batch_id: started.batchId,
    status: end === undefined ? "running" : statuses[end.kind],
    customers: sofar?.customers ?? queuedRows(started.rows),
    manual_review: sofar?.manualReview ?? 0,
    calls: sofar?.calls ?? 0,
    duration_ms: watchedMs,
  };
}

/** A batch's summary for people. */
function batchText(summary: OnboardSummary): string {
  const { customers, manual_review } = summary;
  const { total, ...counts } = customers;
  const shown = Object.entries(counts).filter(([, count]) => count > 0);
  return [
    `batch     ${summary.batch_id}`,
    `run       ${summary.run_id}`,
    `status    ${summary.status} in ${(summary.duration_ms / 1000).toFixed(1)} s`,
    `customers ${total}: ${shown.map(([name, count]) => `${count} ${name}`).join(", ")}`,
    ...(manual_review > 0
      ? [`review    ${manual_review} wait for a manual review; see table onboardings`]
      : []),
    `calls     ${summary.calls}`,
  ].join("\n");
}

/** How a batch shows how far it is. */
export const ONBOARD_PROGRESS: ProgressForm<BatchProgress> = {
  bar: "onboarding {bar} {value}/{total} customers · {running} running",
  figures: ({ customers: { total, queued, running } }) => ({
    done: total - queued - running,
    total,
    running,
  }),
  line: ({ done, total, running }) => `onboarding: ${done}/${total} customers, ${running} running`,
};
