import type { RefusedRequest } from "../refusals.js";
import type { JudgedRow } from "../row-problem.js";
import { problemCodes } from "../row-problem.js";

/** A line of a file that is not the run's own, under what messages call the file. */
export interface FilePlace {
  readonly file: string;
  readonly file_line: number;
}

/** A row of a bulk job's file as it is frozen: what it says, or what is wrong with it. */
export interface FrozenBulkRow<Row extends object = object> extends JudgedRow<Row> {
  /** The kind of job whose row it is, where the run takes rows of another kind along. */
  readonly kind?: string;
  /** Where it is in the file of that kind. */
  readonly place?: FilePlace;
  /** What an earlier run brought it to: this run publishes it again and does not work on it. */
  readonly result?: unknown;
}

/** The line of a row in the text whose sha256 names the rows of a job. */
export function frozenLine(row: FrozenBulkRow): string {
  return `${JSON.stringify({ ...row, problems: problemCodes(row.problems) })}\n`;
}

export interface FailedItem {
  /** Number of the item in its group's plan. */
  readonly item: number;
  readonly reason: string;
  readonly refused?: RefusedRequest;
}

export interface RowEnd {
  readonly line: number;
  readonly status: "done" | "failed" | "skipped";
  readonly reason: string | null;
  readonly refused?: RefusedRequest | undefined;
}
