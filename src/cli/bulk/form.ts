import { continueCommand } from "../../domain/bulk/bulk-job.js";
import { type BulkProgress, type BulkTotals, noBulkTotals } from "../../domain/bulk/bulk-totals.js";
import { anotherSubjects } from "../../domain/failures.js";
import { refusalsInWords } from "../../domain/refusals.js";
import type { Labelled } from "../../domain/words/texts.js";
import type { StartedRun } from "../../intake/start-or-join.js";
import type { AnyJob } from "../../jobs/job.js";
import type { JobSession } from "../session/job-session.js";
import { retrySteps } from "../shell/kind.js";
import type { ProgressForm } from "../shell/progress-view.js";
import type { JobRun } from "../shell/run.js";
import { declaredRun, type Finished, failureWords, type RunResult } from "../shell/summary.js";

interface BulkTold extends BulkTotals {
  readonly job: string;
  readonly [told: string]: unknown;
}

/**
 * Makes a run of a bulk job as its command sees it.
 *
 * @param start starts or joins the run
 * @param judge says more about the result of a run that went through all of its rows
 */
export function bulkRun(
  job: Pick<AnyJob, "kind" | "effect" | "isUnsure" | "failedRows" | "advice">,
  start: (session: JobSession) => Promise<StartedRun>,
  judge?: (result: RunResult) => Promise<Finished>,
): JobRun<BulkProgress, RunResult & BulkTold> {
  const { kind, effect } = job;
  return declaredRun<BulkProgress, BulkTold>({
    start,
    progress: PROGRESS,
    left({ end, sofar }) {
      const isCut = effect && (end?.kind === "failed" || end?.kind === "cancelled");
      const sent = `only the lake's staging area knows what the run has sent; finish it: ${continueCommand(kind)}`;
      return { totals: { job: kind, ...(sofar?.totals ?? noBulkTotals()) }, notes: isCut ? [sent] : [] };
    },
    async finish(result) {
      const { run_id: runId, status, rows, failures } = result;
      const isWhole = status === "completed" || status === "completed_with_failures";
      const judged = isWhole ? await judge?.(result) : undefined;
      // Only a run that went through all of its rows keeps the failed ones for a retry.
      if (status !== "completed_with_failures" || rows.failed === 0) return judged ?? { notes: [] };
      const reasons = failures.map(({ reason }) => reason);
      const steps = nextSteps(job, { runId, reasons, isAll: failures.length === result.failures_total });
      const advice = rows.done === 0 ? (job.advice?.(reasons) ?? []) : [];
      return { ...judged, notes: [...steps, ...(judged?.notes ?? [])].concat(advice) };
    },
    summary: bulkSummary,
    problems: ({ refusals, ...totals }) => [
      ...refusalsInWords(refusals),
      anotherSubjects(totals.failures),
      // A failure without a line is why the whole run failed.
      ...failureWords(
        totals,
        ({ line }) => line !== 0,
        ({ line, owner, reason }) => `line ${line}, ${owner}: ${reason}`,
      ),
    ],
  });
}

function bulkSummary(result: RunResult & BulkTold): Labelled[] {
  const { rows, calls, counts: own, failures, failures_total, refusals, job, ...rest } = result;
  const { run_id, status, reason, message, duration_ms, lake_root, unauthorized, ...told } = rest;
  const counts = ["done", "failed", "invalid", "skipped"] as const;
  const named = counts.filter((count) => count === "done" || rows[count] > 0);
  return [
    ["rows", `${rows.total}: ${named.map((count) => `${rows[count]} ${count}`).join(", ")}`],
    ["counts", own === undefined ? null : countsText(own)],
    ["calls", calls],
    ...toldLines(told),
  ];
}

/** Writes what a kind tells of its run; its numbers are also in its counts, which say what they count. */
function toldLines(told: Readonly<Record<string, unknown>>): Labelled[] {
  const shown = Object.entries(told).filter(([, value]) => typeof value !== "number");
  return shown.map(([name, value]) => [
    name,
    typeof value === "object" && value !== null ? countsText(value as Counts) : String(value),
  ]);
}

type Counts = Readonly<Record<string, number>>;

function countsText(counts: Counts): string {
  return Object.entries(counts)
    .map(([name, count]) => `${count} ${name}`)
    .join(", ");
}

const PROGRESS: ProgressForm<BulkProgress> = {
  bar: "{phase} {bar} {done}/{all} rows · {calls} calls · {failed} failed",
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

interface FailedRows {
  readonly runId: string;
  readonly reasons: readonly string[];
  /** Whether these are the reasons of all of them. */
  readonly isAll: boolean;
}

/** Says what to do about rows that failed in a run that went through all of its rows: how to see them, and the retry. */
export function nextSteps(
  job: Pick<AnyJob, "kind" | "isUnsure" | "failedRows">,
  { runId, reasons, isAll }: FailedRows,
): string[] {
  const unsure = reasons.filter((reason) => job.isUnsure?.(reason) === true).length;
  const seen = job.failedRows?.(runId);
  return [
    ...(seen === undefined ? [] : [`see what failed: nightledger query "${seen}"`]),
    ...retrySteps(retryWords(runId, unsure, isAll && unsure === reasons.length), reasons, isAll),
  ];
}

function retryWords(runId: string, unsure: number, isEvery: boolean): string {
  const again = `nightledger runs retry ${runId}`;
  const words = `run again only what failed: ${again}`;
  if (unsure === 0) return words;
  return isEvery
    ? `what failed may have been carried out: check that, and then send it again with ${again} --send-unknown`
    : `${words}; add --send-unknown to send again also what may have been carried out, once you have checked that`;
}
