import { filesToMerge } from "../../tables/compact.js";
import { fileRows } from "../batches.js";
import type { SourceFile } from "../sources.js";
import { runsOf } from "./runs.js";

/** The size that files of a month grow to. */
const FILE_BYTES = 32 * 1024 * 1024;

/** A smaller file is open: it takes further rows of its month. */
const OPEN_BYTES = FILE_BYTES * 0.75;

/** A row group with fewer rows is written again together with others: it costs a reader as much as a whole one. */
export const SMALL_GROUP_ROWS = 2_048;

/** Months with fewer new rows share a file, so that dates strewn over centuries don't make a file each. */
const OWN_FILE_ROWS = 1_024;

/** New months among the rows of one commit; more share files. SQL keeps about so many files open at once. */
const MOST_NEW_SHELVES = 96;

/** What one commit copies of open files that nothing has changed, so that many small ones don't make one night long. */
const COPIED_FILES = 64;
const COPIED_BYTES = 64 * 1024 * 1024;

/** Files and new rows that become one file, or several where they are much. */
export interface Shelf {
  /** Live files that are replaced. */
  readonly files: readonly SourceFile[];
  /** Months (`YYYY-MM`) whose new rows go in. */
  readonly months: readonly string[];
  /** Rows at most. */
  readonly rows: number;
}

/** New rows of a month. */
export interface FreshMonth {
  readonly rows: number;
  /** Batches that hold some of them: each writes its own, as a row group at least. */
  readonly pieces: number;
}

/** The month of a file's first day; files without bounds have none. */
function monthOf(file: SourceFile): string {
  return file.firstDay?.slice(0, 7) ?? "";
}

/**
 * Plans which files and new rows go together. A month's new rows join its open files, of which one is left in the
 * end; a full file is written again only where rows of it have changed. Pure.
 *
 * @param touched files that lose rows
 * @param fresh new rows by month
 */
export function planShelves(
  live: readonly SourceFile[],
  touched: ReadonlySet<SourceFile>,
  fresh: ReadonlyMap<string, FreshMonth>,
): Shelf[] {
  const open = live.filter((file) => monthOf(file) !== "" && file.add.size < OPEN_BYTES);
  const isOpen = new Set(open);
  const months = new Map<string, { files: SourceFile[]; fresh: Month[] }>();
  for (const file of open.sort(byMonth)) {
    const { files } = months.get(monthOf(file)) ?? {};
    if (files === undefined) months.set(monthOf(file), { files: [file], fresh: [] });
    else files.push(file);
  }
  const unhosted: Month[] = [];
  for (const [month, { rows, pieces }] of [...fresh].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const host = open.findLast((file) => monthOf(file) <= month && month <= (file.lastDay ?? "").slice(0, 7));
    const place = host === undefined ? unhosted : months.get(monthOf(host))?.fresh;
    place?.push({ month, rows, pieces });
  }
  const full = live.filter((file) => touched.has(file) && !isOpen.has(file));
  const budget = new CopyBudget();
  return [
    ...full.map((file) => shelfOf([file], [])),
    ...[...months.values()].flatMap((month) => openShelf(month.files, month.fresh, touched, budget)),
    ...newShelves(unhosted),
    ...strewnShelf([...months.values()], touched),
  ];
}

interface Month extends FreshMonth {
  readonly month: string;
}

function byMonth(a: SourceFile, b: SourceFile): number {
  return monthOf(a) < monthOf(b) ? -1 : Number(monthOf(a) !== monthOf(b));
}

/** The open files of a month: those that must be written again, with others as far as the budget goes. */
function openShelf(
  files: readonly SourceFile[],
  fresh: readonly Month[],
  touched: ReadonlySet<SourceFile>,
  budget: CopyBudget,
): Shelf[] {
  const must = files.filter((file) => touched.has(file));
  const others = files.filter((file) => !touched.has(file)).sort((a, b) => a.add.size - b.add.size);
  // New rows need a place, whatever is left of the budget.
  if (fresh.length > 0 && must.length === 0) must.push(...others.splice(0, 1));
  const merged = must.length + others.length > 1 ? [...must, ...budget.take(others)] : must;
  return merged.length > 1 || must.length > 0 ? [shelfOf(merged, fresh)] : [];
}

/**
 * Whole months, in order; small ones share a shelf, and so do those of which each batch brings less than a row group:
 * a load of many small links would write each of its rows twice.
 */
function newShelves(months: readonly Month[]): Shelf[] {
  const total = months.reduce((sum, { rows }) => sum + rows, 0);
  const pieces = months.reduce((sum, month) => sum + month.pieces, 0);
  const whole = (SMALL_GROUP_ROWS * pieces) / Math.max(1, months.length);
  const runs = runsOf(
    months,
    Math.max(OWN_FILE_ROWS, total / MOST_NEW_SHELVES, pieces > months.length ? whole : 0),
  );
  return runs.map((run) => shelfOf([], run));
}

/** Single files of a few rows, of months far apart, are merged as those of any table are. */
function strewnShelf(
  months: readonly { readonly files: readonly SourceFile[]; readonly fresh: readonly Month[] }[],
  touched: ReadonlySet<SourceFile>,
): Shelf[] {
  const single = months.flatMap(({ files, fresh }) => {
    const [only] = files;
    const rests = files.length === 1 && fresh.length === 0 && only !== undefined && !touched.has(only);
    return rests && fileRows(only) < OWN_FILE_ROWS ? [only] : [];
  });
  const merged = new Set(filesToMerge(single.map(({ add }) => add)));
  return merged.size === 0
    ? []
    : [
        shelfOf(
          single.filter(({ add }) => merged.has(add)),
          [],
        ),
      ];
}

function shelfOf(files: readonly SourceFile[], fresh: readonly Month[]): Shelf {
  const rows = [...files.map(fileRows), ...fresh.map((month) => month.rows)];
  return { files, months: fresh.map(({ month }) => month), rows: rows.reduce((sum, n) => sum + n, 0) };
}

/** How many files of a shelf with so many bytes; each is of about the size that is aimed at. */
export function filesOfShelf(bytes: number): number {
  return Math.max(1, Math.round(bytes / FILE_BYTES));
}

class CopyBudget {
  #files = COPIED_FILES;
  #bytes = COPIED_BYTES;

  take(files: readonly SourceFile[]): SourceFile[] {
    return files.filter(({ add }) => {
      if (this.#files === 0 || add.size > this.#bytes) return false;
      this.#files -= 1;
      this.#bytes -= add.size;
      return true;
    });
  }
}
