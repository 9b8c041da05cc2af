import { continueCommand } from "../../domain/bulk/bulk-job.js";
import {
  type BulkProgress,
  type BulkSummary,
  type BulkTotals,
  noBulkTotals,
} from "../../domain/bulk/bulk-totals.js";
import { anotherSubjectLines } from "../../domain/failures.js";
import { refusalLines } from "../../domain/refusals.js";
import { whyLines } from "../../domain/run.js";
import type { StartedRun } from "../../intake/start-or-join.js";
import type { AnyJob } from "../../jobs/job.js";
import type { BulkResult } from "../../workflows/bulk/bulk-job.js";
import { endWithoutResult, type JobRun, type LeftRun, withWaits } from "../session/job-run.js";
import type { JobSession } from "../session/job-session.js";
import type { ProgressForm } from "../session/progress-view.js";
import { heldWords, nextSteps } from "./next-steps.js";

const MOST_SHOWN = 10;

/** Makes a run of a bulk job as its command sees it; `start` starts or joins it. */
export function bulkRun(
  job: Pick<AnyJob, "kind" | "effect" | "isUnsure" | "failedRows" | "advice">,
  start: (session: JobSession) => Promise<StartedRun>,
): JobRun<BulkProgress, BulkResult> {
  const { kind, effect } = job;
  return {
    start,
    progress: PROGRESS,
    remark: (progress, before) =>
      progress.held > 0 && progress.held !== before?.held ? heldWords(progress) : undefined,
    outcome(left) {
      const { unauthorized, ...result } = resultOf(kind, left);
      const { run_id: runId, status, rows, failures } = result;
      const notes: string[] = [];
      // Only a run that went through all of its rows keeps the failed ones for a retry.
      if (status === "completed_with_failures" && rows.failed > 0)
        notes.push(
          ...nextSteps(job, {
            runId,
            reasons: failures.map(({ reason }) => reason),
            isAll: failures.length === result.failures_total,
            isNoneDone: rows.done === 0,
          }),
        );
      if (effect && (left.end?.kind === "failed" || left.end?.kind === "cancelled"))
        notes.push(
          `only the lake's staging area knows what the run has sent; finish it: ${continueCommand(kind)}`,
        );
      return { ...withWaits(left, result, summaryText(result)), unauthorized, notes };
    },
  };
}

function resultOf(
  kind: string,
  { started, end, sofar, watchedMs }: LeftRun<BulkProgress, BulkResult>,
): BulkResult {
  if (end?.kind === "completed") return end.result;
  return {
    run_id: started.runId,
    job: kind,
    ...endWithoutResult(end),
    ...(sofar?.totals ?? noBulkTotals()),
    duration_ms: watchedMs,
    lake_root: null,
    unauthorized: false,
  };
}

function summaryText(summary: BulkSummary): string {
  const {
    run_id,
    job,
    status,
    rows,
    calls,
    failures,
    failures_total,
    refusals,
    counts: own,
    duration_ms,
    lake_root,
    reason,
    message,
    ...told
  } = summary;
  const counts = ["done", "failed", "invalid", "skipped"] as const;
  const named = counts.filter((count) => count === "done" || rows[count] > 0);
  // A failure without a line is why the whole run failed.
  const rowsOnly = failures.filter(({ line }) => line !== 0);
  const shown = rowsOnly.slice(0, MOST_SHOWN);
  const more = failures_total - (failures.length - rowsOnly.length) - shown.length;
  return [
    `run       ${run_id}`,
    `status    ${status} in ${(duration_ms / 1000).toFixed(1)} s`,
    ...whyLines({ reason, message }),
    `rows      ${rows.total}: ${named.map((count) => `${rows[count]} ${count}`).join(", ")}`,
    ...(own === undefined ? [] : [`counts    ${countsText(own)}`]),
    `calls     ${calls}`,
    ...toldLines(told),
    ...(lake_root === null ? [] : [`root      ${lake_root}`]),
    ...refusalLines(refusals),
    ...anotherSubjectLines(failures),
    ...shown.map(({ line, owner, reason, file, file_line }) => {
      const place = file === undefined ? `line ${line}` : `${file} line ${file_line}`;
      return `failed    ${place}, ${owner}: ${reason}`;
    }),
    ...(more > 0 ? [`          and ${more} more`] : []),
  ].join("\n");
}

/** Writes what a kind tells of its run; its numbers are also in its counts, which say what they count. */
function toldLines(told: Readonly<Record<string, unknown>>): string[] {
  const shown = Object.entries(told).filter(([, value]) => typeof value !== "number");
  return shown.map(([name, value]) => {
    const words = typeof value === "object" && value !== null ? countsText(value as Counts) : value;
    return `${name.padEnd(9)} ${words}`;
  });
}

type Counts = Readonly<Record<string, number>>;

function countsText(counts: Counts): string {
  return Object.entries(counts)
    .map(([name, count]) => `${count} ${name}`)
    .join(", ");
}

const PROGRESS: ProgressForm<BulkProgress> = {
  bar: "{phase} {bar} {value}/{total} rows · {calls} calls · {failed} failed",
  figures: ({ rows: total, phase, totals }) => ({
    ...{ done: processed(totals), total, phase },
    ...{ calls: totals.calls, failed: totals.rows.failed },
  }),
  line: ({ phase, done, total, calls, failed }) =>
    `${phase}: ${done}/${total} rows, ${calls} calls${failed === 0 ? "" : `, ${failed} failed`}`,
  paced: ({ rows, totals }) => ({ amount: processed(totals), unit: "rows", expected: rows }),
  waiting: (progress) => progress,
};

function processed({ rows: { done, failed, invalid, skipped } }: BulkTotals): number {
  return done + failed + invalid + skipped;
}
