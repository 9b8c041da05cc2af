import { type OnboardSummary, queuedRows } from "../../domain/onboarding/batch/batch-totals.js";
import type { BatchProgress } from "../../domain/onboarding/messages.js";
import { startedRows } from "../../intake/onboarding/start.js";
import type { StartedRun } from "../../intake/start-or-join.js";
import { type JobRun, type LeftRun, statusWithoutResult } from "../session/job-run.js";
import type { JobSession } from "../session/job-session.js";
import type { ProgressForm } from "../session/progress-view.js";
import type { Terminal } from "../terminal/terminal.js";
import { waitUntilSettled } from "./settled-wait.js";

/** Customers of a paused batch have this long to come to their end while the command watches. */
const RUNNING_OUT_MS = 5_000;

/** How long a command stays with its batch. */
interface BatchPatience {
  readonly until?: "settled";
  /** Milliseconds for which customers and reviewers are waited for. */
  readonly deadline?: number;
}

/** A batch as its command runs it; `start` starts or joins its run. */
export function batchRun(
  terminal: Terminal,
  batchId: string,
  { until, deadline = 0 }: BatchPatience,
  start: (session: JobSession) => Promise<StartedRun>,
  whileWatched?: (session: JobSession, started: StartedRun) => Promise<void>,
): JobRun<BatchProgress, OnboardSummary> {
  let pausedAt: number | undefined;
  return {
    async start(session) {
      const started = await start(session);
      terminal.say(`batch ${batchId}`);
      return started;
    },
    ...(whileWatched && { whileWatched }),
    progress: ONBOARD_PROGRESS,
    remark({ paused, cancelling }, before) {
      if (cancelling && !before?.cancelling) return "cancelling: what is going on comes to its end";
      return paused !== null && !before?.paused ? `paused: ${paused.reason}` : undefined;
    },
    isHalted({ paused, customers, recorded }) {
      pausedAt = paused === null ? undefined : (pausedAt ?? Date.now());
      if (pausedAt === undefined || !recorded) return false;
      return customers.running === 0 || Date.now() - pausedAt >= RUNNING_OUT_MS;
    },
    async afterEnd(session, result) {
      if (until !== "settled") return { kind: "completed", result };
      terminal.say("every row is machine done; waiting for customers and reviewers");
      return waitUntilSettled(session, result, Date.now() + deadline);
    },
    outcome(left) {
      const { end, sofar, started } = left;
      const summary = summaryOf(batchId, left);
      const halted = end?.kind === "halted";
      const resume = `run ${started.runId} stands still; \`nightledger batch resume ${batchId}\` goes on with it`;
      return {
        summary,
        text: batchText(summary),
        unauthorized: halted && sofar?.paused?.kind === "credentials",
        notes: halted ? [resume] : [],
      };
    },
  };
}

function summaryOf(
  batchId: string,
  { started, end, sofar, watchedMs }: LeftRun<BatchProgress, OnboardSummary>,
): OnboardSummary {
  if (end?.kind === "completed") return end.result;
  return {
    run_id: started.runId,
    batch_id: batchId,
    status: statusWithoutResult(end),
    customers: sofar?.customers ?? queuedRows(startedRows(started)),
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
const ONBOARD_PROGRESS: ProgressForm<BatchProgress> = {
  bar: "onboarding {bar} {value}/{total} customers · {running} running",
  figures: ({ customers: { total, queued, running } }) => ({
    done: total - queued - running,
    total,
    running,
  }),
  line: ({ done, total, running }) => `onboarding: ${done}/${total} customers, ${running} running`,
};
