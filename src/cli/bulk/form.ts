import { continueCommand } from "../../domain/bulk/bulk-job.js";
import { type BulkProgress, type BulkTotals, noBulkTotals } from "../../domain/bulk/bulk-totals.js";
import { anotherSubjects } from "../../domain/failures.js";
import { refusalsInWords } from "../../domain/refusals.js";
import type { RunSummary } from "../../domain/run.js";
import type { Labelled } from "../../domain/words/texts.js";
import type { AnyJob } from "../../jobs/job.js";
import { type RunKind, retrySteps } from "../shell/kind.js";
import type { ProgressForm } from "../shell/progress-view.js";
import { failureWords } from "../shell/summary.js";

interface BulkTold extends BulkTotals {
  readonly job: string;
  readonly [own: string]: unknown;
}

/** The runs of a kind of bulk job; its declaration says all that tells them from others. */
export function bulkKind(job: ShownJob): RunKind<BulkProgress, BulkTold> {
  const { kind, effect } = job;
  return {
    kind,
    rows: job.file.rows,
    keepsStaging: effect,
    mayBeUnsure: job.isUnsure !== undefined,
    progress: PROGRESS,
    left({ end, sofar }) {
      const isCut = effect && (end?.kind === "failed" || end?.kind === "cancelled");
      const sent = `only the lake's staging area knows what the run has sent; finish it: ${continueCommand(kind)}`;
      return { totals: { job: kind, ...(sofar?.totals ?? noBulkTotals()) }, notes: isCut ? [sent] : [] };
    },
    notes({ run_id: runId, status, rows, failures, failures_total }) {
      if (!keepsFailed(status, rows.failed)) return [];
      const reasons = failures.map(({ reason }) => reason);
      const steps = nextSteps(job, { runId, reasons, isAll: failures.length === failures_total });
      return steps.concat(rows.done === 0 ? (job.advice?.(reasons) ?? []) : []);
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
    next({ run_id: runId, status, counts }, failed) {
      if (!keepsFailed(status, counts.failed ?? 0)) return [];
      return nextSteps(job, { runId, reasons: failed.map(({ reason }) => reason), isAll: true });
    },
  };
}

type ShownJob = Pick<AnyJob, "kind" | "effect" | "file" | "isUnsure" | "failedRows" | "advice">;

/** Only a run that went through all of its rows keeps the failed ones for a retry. */
function keepsFailed(status: string, failed: number): boolean {
  return status === "completed_with_failures" && failed > 0;
}

function bulkSummary(result: RunSummary & BulkTold): Labelled[] {
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

/** Says what to do about rows that failed in a run that went through all of its rows: how to see them, and the retry. */
export function nextSteps(
  job: Pick<AnyJob, "kind" | "isUnsure" | "failedRows">,
  {
    runId,
    reasons,
    isAll,
  }: {
    readonly runId: string;
    readonly reasons: readonly string[];
    /** Whether these are the reasons of all of them. */
    readonly isAll: boolean;
  },
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
