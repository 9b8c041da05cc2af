import type { FileFacts } from "../delta/delta-stats.js";

/** A file with more bytes is not written again because its months get new rows. */
const FULL_BYTES = 24 * 1024 * 1024;

/** So many rows take some 30 MB. */
const FILE_ROWS = 500_000;

/** Months with fewer rows share a file, so that dates scattered over centuries don't make a file each. */
const OWN_FILE_ROWS = 1_024;

/** The most files for months in one commit: SQL keeps about so many open at once. */
const MOST_FILES = 96;

/** SQL of the number of a day's month; days that are missing are of one month. */
export function monthOf(day: string): string {
  return `coalesce(year(${day}) * 12 + month(${day}), 0)`;
}

/** Whether new rows of these months join a file, which then is written again. */
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

/** The files that hold a month's rows: `parts` of them from number `file` on, each with some of the links. */
interface MonthFiles {
  readonly month: number;
  readonly file: number;
  readonly parts: number;
}

/** Plans the files of rows by their months; neighbours with few rows share one. Pure. */
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

/** How many files so many rows take. */
export function fileCount(rows: number): number {
  return Math.max(1, Math.ceil(rows / FILE_ROWS));
}
