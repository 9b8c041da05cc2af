import { type RunSummary, whyCutShort } from "../../domain/run.js";
import { type Labelled, labelledLines } from "../../domain/words/texts.js";
import type { RunKind } from "./kind.js";

const MOST_FAILURES = 10;

/** Writes the summary of a run for people: how it ended, what it has done, and what went wrong. */
export function summaryLines<Totals extends object>(
  kind: Pick<RunKind<never, Totals>, "summary" | "problems">,
  result: RunSummary & Totals,
  names: readonly Labelled[] = [],
): string[] {
  const { run_id, status, duration_ms, lake_root } = result;
  // A run that its command leaves continues, or can be continued.
  const isLeft = status === "paused" || status === "running";
  return labelledLines([
    ...names,
    ["run", run_id],
    ["status", `${status} ${isLeft ? "after" : "in"} ${(duration_ms / 1000).toFixed(1)} s`],
    whyCutShort(result),
    ...kind.summary(result),
    ["root", lake_root],
    ...(kind.problems?.(result) ?? []),
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
  const first = own.slice(0, MOST_FAILURES);
  const more = failures_total - (failures.length - own.length) - first.length;
  return [
    ...first.map((failure): Labelled => ["failed", wordsOf(failure)]),
    ["", more > 0 ? `and ${more} more${seeAll}` : null],
  ];
}
