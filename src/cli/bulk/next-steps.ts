import type { BulkProgress } from "../../domain/bulk/bulk-totals.js";
import type { AnyJob } from "../../jobs/job.js";

/** What is known of rows that failed. */
interface FailedRows {
  readonly runId: string;
  /** Why they failed, as far as it is known. */
  readonly reasons: readonly string[];
  /** Whether these are the reasons of all of them. */
  readonly isAll: boolean;
  /** Whether no row was done. */
  readonly isNoneDone: boolean;
}

/** Says what to do about rows that failed in a run that went through all of its rows: how to see them, and the retry. */
export function nextSteps(
  job: Pick<AnyJob, "isUnsure" | "failedRows" | "advice">,
  { runId, reasons, isAll, isNoneDone }: FailedRows,
): string[] {
  const unsure = reasons.filter((reason) => job.isUnsure?.(reason) === true).length;
  const seen = job.failedRows?.(runId);
  const [reason = ""] = reasons;
  const isSame = reasons.every((one) => one === reason);
  const advice = isNoneDone && isSame ? job.advice?.(reason) : undefined;
  return [
    ...(advice === undefined ? [] : [advice]),
    ...(seen === undefined ? [] : [`see what failed: nightledger query "${seen}"`]),
    retryWords(`nightledger runs retry ${runId}`, unsure, isAll && unsure === reasons.length),
  ];
}

function retryWords(command: string, unsure: number, isEvery: boolean): string {
  const words = `run again only what failed: ${command}`;
  if (unsure === 0) return words;
  return isEvery
    ? `what failed may have been carried out: check that, and then send it again with ${command} --send-unknown`
    : `${words}; add --send-unknown to send again also what may have been carried out, once you have checked that`;
}

/** Says why items are held, and how they are sent. */
export function heldWords({ runId, held }: Pick<BulkProgress, "runId" | "held">): string {
  return (
    `${held} held: the run went on after a pause, and after the restore of a backup they may have been sent already. ` +
    `Check that; then send them: nightledger runs continue ${runId}`
  );
}
