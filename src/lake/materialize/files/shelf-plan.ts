import { filesToMerge } from "../../tables/compact.js";
import { fileRows, type SourceFile } from "../sources.js";

/** The size that files of a month grow to. */
const FILE_BYTES = 32 * 1024 * 1024;

/** A smaller file is open: further rows of its month are added to it. */
const OPEN_BYTES = FILE_BYTES * 0.75;

/** A row group with fewer rows is merged with others: it costs a reader as much as a full one. */
export const SMALL_GROUP_ROWS = 2_048;

/** Months with fewer new rows share a file, so that dates scattered over centuries don't make a file each. */
const OWN_FILE_ROWS = 1_024;

/** The most shelves of new months in one commit; more months share files. SQL keeps about so many files open at once. */
const MOST_NEW_SHELVES = 96;

/** The most that one commit copies of unchanged open files, so that many small ones don't make one night long. */
const COPIED_FILES = 64;
const COPIED_BYTES = 64 * 1024 * 1024;

/** Files and new rows that become one file, or several if they are large. */
export interface Shelf {
  readonly files: readonly SourceFile[];
  /** Months (`YYYY-MM`) whose new rows are added. */
  readonly months: readonly string[];
}

export interface FreshMonth {
  readonly rows: number;
  /** Batches that contain some of them: each writes at least one row group. */
  readonly pieces: number;
}

function monthOf(file: SourceFile): string {
  return file.firstDay?.slice(0, 7) ?? "";
}

/**
 * Plans which files and new rows are written together: a month's new rows join its open files, which become one; a full file
 * is written again only if it is `touched`, so loses rows. Pure.
 */
export function planShelves(
  live: readonly SourceFile[],
  touched: ReadonlySet<SourceFile>,
  fresh: ReadonlyMap<string, FreshMonth>,
): Shelf[] {
  const isOpen = (file: SourceFile) => monthOf(file) !== "" && file.add.size < OPEN_BYTES;
  const open = live.filter(isOpen).sort(byMonth);
  const months = new Map<string, OpenMonth>();
  for (const file of open) {
    const month = months.get(monthOf(file)) ?? { files: [], fresh: [] };
    months.set(monthOf(file), month);
    month.files.push(file);
  }
  const unhosted: Month[] = [];
  for (const [month, { rows, pieces }] of [...fresh].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const host = open.findLast((file) => monthOf(file) <= month && month <= (file.lastDay ?? "").slice(0, 7));
    const place = host === undefined ? unhosted : months.get(monthOf(host))?.fresh;
    place?.push({ month, rows, pieces });
  }
  const full = live.filter((file) => touched.has(file) && !isOpen(file));
  const withinBudget = copyBudget();
  return [
    ...full.map((file) => shelfOf([file], [])),
    ...[...months.values()].flatMap((month) => openShelf(month.files, month.fresh, touched, withinBudget)),
    ...newShelves(unhosted),
    ...scatteredShelf([...months.values()], touched),
  ];
}

interface Month extends FreshMonth {
  readonly month: string;
}

interface OpenMonth {
  readonly files: SourceFile[];
  readonly fresh: Month[];
}

function byMonth(a: SourceFile, b: SourceFile): number {
  return monthOf(a) < monthOf(b) ? -1 : Number(monthOf(a) !== monthOf(b));
}

/** Plans a month's open files: those that must be written again, with others as far as the budget allows. */
function openShelf(
  files: readonly SourceFile[],
  fresh: readonly Month[],
  touched: ReadonlySet<SourceFile>,
  withinBudget: ReturnType<typeof copyBudget>,
): Shelf[] {
  const must = files.filter((file) => touched.has(file));
  const others = files.filter((file) => !touched.has(file)).sort((a, b) => a.add.size - b.add.size);
  // New rows need a place, whatever is left of the budget.
  if (fresh.length > 0 && must.length === 0) must.push(...others.splice(0, 1));
  const merged = must.length + others.length > 1 ? [...must, ...withinBudget(others)] : must;
  return merged.length > 1 || must.length > 0 ? [shelfOf(merged, fresh)] : [];
}

/** Plans shelves for new months, in order. Small ones share a shelf, and so do those whose batches bring less than a row group. */
function newShelves(months: readonly Month[]): Shelf[] {
  const total = months.reduce((sum, { rows }) => sum + rows, 0);
  const pieces = months.reduce((sum, month) => sum + month.pieces, 0);
  const whole = (SMALL_GROUP_ROWS * pieces) / Math.max(1, months.length);
  const least = Math.max(OWN_FILE_ROWS, total / MOST_NEW_SHELVES, pieces > months.length ? whole : 0);
  return groupsOf(months, least).map((group) => shelfOf([], group));
}

/** Groups items in their order: one with at least so many rows alone, the others together until they have as many. */
export function groupsOf<T extends { readonly rows: number }>(items: readonly T[], least: number): T[][] {
  const groups: T[][] = [];
  let rows = least;
  for (const item of items) {
    if (rows >= least || item.rows >= least) {
      groups.push([]);
      rows = 0;
    }
    groups.at(-1)?.push(item);
    rows += item.rows;
  }
  return groups;
}

/** Plans the merge of single files with few rows, of months far apart, as for any other table. */
function scatteredShelf(months: readonly OpenMonth[], touched: ReadonlySet<SourceFile>): Shelf[] {
  const single = months.flatMap(({ files, fresh }) => {
    const [only] = files;
    const rests = files.length === 1 && fresh.length === 0 && only !== undefined && !touched.has(only);
    return rests && fileRows(only) < OWN_FILE_ROWS ? [only] : [];
  });
  const merged = new Set(filesToMerge(single.map(({ add }) => add)));
  const files = single.filter(({ add }) => merged.has(add));
  return files.length === 0 ? [] : [shelfOf(files, [])];
}

function shelfOf(files: readonly SourceFile[], fresh: readonly Month[]): Shelf {
  return { files, months: fresh.map(({ month }) => month) };
}

export function filesOfShelf(bytes: number): number {
  return Math.max(1, Math.round(bytes / FILE_BYTES));
}

/** Takes files as far as one commit may copy unchanged ones. */
function copyBudget() {
  let [count, bytes] = [COPIED_FILES, COPIED_BYTES];
  return (files: readonly SourceFile[]): SourceFile[] =>
    files.filter(({ add }) => {
      if (count === 0 || add.size > bytes) return false;
      count -= 1;
      bytes -= add.size;
      return true;
    });
}
