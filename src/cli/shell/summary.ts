import type { Unauthorized } from "../../domain/failures.js";
import { type EndReason, type RunStatus, whyCutShort } from "../../domain/run.js";
import { allWaiting } from "../../domain/waiting.js";
import { type Labelled, labelledLines } from "../../domain/words/texts.js";
import type { Preflight } from "../session/preflight.js";
import { waitingLines } from "../terminal/waiting-lines.js";
import { endWithoutResult, type JobRun, type LeftRun, type RunOutcome } from "./run.js";

const MOST_FAILURES = 10;

export interface RunResult extends EndReason {
  readonly run_id: string;
  readonly status: RunStatus;
  readonly duration_ms: number;
  /** The lake's root when the run ended; null before that, or if it could not be computed. */
  readonly lake_root: string | null;
  /** Tells a refused key from every other failure; no summary shows it. */
  readonly unauthorized?: Unauthorized;
}

interface Known<Totals> {
  readonly totals: Totals;
  readonly notes: readonly string[];
  /** Whether the service refused the credentials; left out: not that the run knew. */
  readonly unauthorized?: Unauthorized;
}

export interface Finished {
  readonly also?: object;
  readonly notes: readonly string[];
  /** Whether it exits with 1 although the run completed. */
  readonly failed?: boolean;
}

/** A kind of run as a declaration: the shell starts and watches it, and makes its summary. */
interface RunForm<Progress, Totals extends object>
  extends Omit<JobRun<Progress, RunResult & Totals>, "outcome"> {
  /** What is known of a run without a result, because its command leaves it or it failed; it may read the lake. */
  left(left: LeftRun<Progress, unknown>, preflight: Preflight): Known<Totals> | Promise<Known<Totals>>;
  /** What the summary names before the run; left out: nothing. */
  names?(result: RunResult & Totals): readonly Labelled[];
  summary(result: RunResult & Totals): readonly Labelled[];
  problems(result: RunResult & Totals): readonly Labelled[];
  /** What the summary of a run without a result says in place of what `finish` adds. */
  readonly defaultJudgement?: object;
  finish?(result: RunResult & Totals): Finished | Promise<Finished>;
}

export function declaredRun<Progress, Totals extends object>(
  form: RunForm<Progress, Totals>,
): JobRun<Progress, RunResult & Totals> {
  return {
    ...form,
    async outcome(left, preflight): Promise<RunOutcome> {
      const { end, started, sofar, watchedMs } = left;
      if (end?.kind === "completed") {
        const { unauthorized = false, ...summary } = end.result;
        const { also, failed = false, notes } = (await form.finish?.(end.result)) ?? { notes: [] };
        const text = summaryLines(form, end.result).join("\n");
        return { summary: { ...summary, ...also }, text, unauthorized, failed, notes };
      }
      const { totals, notes, unauthorized = false } = await form.left(left, preflight);
      const own = { run_id: started.runId, ...endWithoutResult(end), ...totals, ...form.defaultJudgement };
      const summary = { ...own, duration_ms: watchedMs, lake_root: null };
      const lines = summaryLines(form, summary);
      const isOver = end !== undefined && end.kind !== "interrupted" && end.kind !== "halted";
      const waiting = isOver || sofar === undefined ? undefined : form.progress.waiting?.(sofar);
      if (waiting === undefined) return { summary, text: lines.join("\n"), unauthorized, notes };
      const waits = allWaiting([waiting]);
      const text = [...lines, ...waitingLines(waits, Date.now())].join("\n");
      return { summary: { ...summary, ...waits }, text, unauthorized, notes };
    },
  };
}

/** Writes the summary of a run for people: how it ended, what it has done, and what went wrong. */
export function summaryLines<Totals extends object>(
  form: Pick<RunForm<never, Totals>, "names" | "summary" | "problems">,
  result: RunResult & Totals,
): string[] {
  const { run_id, status, duration_ms, lake_root } = result;
  // A run that its command leaves continues, or can be continued.
  const isLeft = status === "paused" || status === "running";
  return labelledLines([
    ...(form.names?.(result) ?? []),
    ["run", run_id],
    ["status", `${status} ${isLeft ? "after" : "in"} ${(duration_ms / 1000).toFixed(1)} s`],
    whyCutShort(result),
    ...form.summary(result),
    ["root", lake_root],
    ...form.problems(result),
  ]);
}

/**
 * Says of the first failures what failed, and how many more there are.
 *
 * @param isOwn whether a failure is one of a part of the run, and not why the whole run failed, which its end says
 */
export function failureWords<Failure>(
  { failures, failures_total }: { readonly failures: readonly Failure[]; readonly failures_total: number },
  isOwn: (failure: Failure) => boolean,
  wordsOf: (failure: Failure) => string,
  seeAll = "",
): Labelled[] {
  const own = failures.filter(isOwn);
  const shown = own.slice(0, MOST_FAILURES);
  const more = failures_total - (failures.length - own.length) - shown.length;
  return [
    ...shown.map((failure): Labelled => ["failed", wordsOf(failure)]),
    ["", more > 0 ? `and ${more} more${seeAll}` : null],
  ];
}
