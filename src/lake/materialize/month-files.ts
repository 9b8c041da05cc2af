import type { FileFacts } from "../delta/delta-stats.js";

/** A larger file is not rewritten for new rows of its months. */
const FULL_BYTES = 24 * 1024 * 1024;

/** Some 30 MB. */
const FILE_ROWS = 500_000;

/** Months with fewer rows share a file. */
const OWN_FILE_ROWS = 1_024;

/** In one commit: SQL keeps them all open. */
const MOST_FILES = 96;

/** The number of a day's month; missing days are of one month. */
export function monthOf(day: string): string {
  return `coalesce(year(${day}) * 12 + month(${day}), 0)`;
}

/** Whether new rows of these months join a file, which is then rewritten. */
export function takesRows(
  { rows = 0, firstDay, lastDay }: FileFacts,
  size: number,
  months: Iterable<number>,
): boolean {
  if (size >= FULL_BYTES) return false;
  const [first, last] = [monthNumber(firstDay), monthNumber(lastDay)];
  if (rows < OWN_FILE_ROWS || first === undefined || last === undefined) return true;
  for (const month of months) if (first <= month && month <= last) return true;
  return false;
}

function monthNumber(day = ""): number | undefined {
  const [, year, month] = /^(\d{4})-(\d\d)-/.exec(day) ?? [];
  return year === undefined ? undefined : Number(year) * 12 + Number(month);
}

/** A month's files: `parts` from number `file` on, each with some of the links. */
interface MonthFiles {
  readonly month: number;
  readonly file: number;
  readonly parts: number;
}

/** Plans files by months; neighbours with few rows share one. Pure. */
export function planFiles(rowsOfMonth: ReadonlyMap<number, number>): MonthFiles[] {
  const months = [...rowsOfMonth].sort(([a], [b]) => a - b);
  const total = months.reduce((sum, [, rows]) => sum + rows, 0);
  const least = Math.max(OWN_FILE_ROWS, total / MOST_FILES);
  const planned: MonthFiles[] = [];
  let [file, parts, held] = [0, 0, least];
  for (const [month, rows] of months) {
    if (held >= least || rows >= least) {
      [file, parts, held] = [file + parts, fileCount(rows), 0];
    }
    held += rows;
    planned.push({ month, file, parts });
  }
  return planned;
}

export function fileCount(rows: number): number {
  return Math.max(1, Math.ceil(rows / FILE_ROWS));
}
