import { filesToMerge } from "../../tables/compact.js";
import { fileRows } from "../batches.js";
import type { SourceFile } from "../sources.js";

/** The size that files of a month grow to. */
const FILE_BYTES = 32 * 1024 * 1024;

/** A smaller file is open: it takes further rows of its month. */
const OPEN_BYTES = FILE_BYTES * 0.75;

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
  fresh: ReadonlyMap<string, number>,
): Shelf[] {
  const open = live.filter((file) => monthOf(file) !== "" && file.add.size < OPEN_BYTES);
  const isOpen = new Set(open);
  const byMonth = new Map<string, SourceFile[]>();
  for (const file of open) byMonth.set(monthOf(file), [...(byMonth.get(monthOf(file)) ?? []), file]);
  const alone = live.filter((file) => touched.has(file) && !isOpen.has(file));
  const shelves = alone.map((file) => shelfOf([file], []));
  const budget = new CopyBudget();
  const hosted = [...byMonth].flatMap(([month, files]) => {
    const isFresh = fresh.has(month);
    const must = files.filter((file) => touched.has(file));
    const rest = files.filter((file) => !touched.has(file)).sort((a, b) => a.add.size - b.add.size);
    // New rows need a place, whatever is left of the budget.
    if (isFresh && must.length === 0) must.push(...rest.splice(0, 1));
    const merged = [...must, ...(must.length + rest.length > 1 ? budget.take(rest) : [])];
    return merged.length > 1 || must.length > 0
      ? [shelfOf(merged, isFresh ? [[month, fresh.get(month) ?? 0]] : [])]
      : [];
  });
  const unhosted = [...fresh].filter(([month]) => !byMonth.has(month)).sort(([a], [b]) => (a < b ? -1 : 1));
  return [...shelves, ...hosted, ...newShelves(unhosted), ...strewn(byMonth, touched, fresh)];
}

/** Whole months, in order; small ones share a shelf. */
function newShelves(months: readonly (readonly [string, number])[]): Shelf[] {
  const total = months.reduce((sum, [, rows]) => sum + rows, 0);
  const own = Math.max(OWN_FILE_ROWS, total / MOST_NEW_SHELVES);
  const shelves: Shelf[] = [];
  let sharing: (readonly [string, number])[] = [];
  const close = () => {
    if (sharing.length > 0) shelves.push(shelfOf([], sharing));
    sharing = [];
  };
  for (const month of months) {
    if (month[1] >= own) {
      close();
      shelves.push(shelfOf([], [month]));
      continue;
    }
    sharing.push(month);
    if (sharing.reduce((sum, [, rows]) => sum + rows, 0) >= own) close();
  }
  close();
  return shelves;
}

/** Single files of a few rows, of months far apart, are merged as those of any table are. */
function strewn(
  byMonth: ReadonlyMap<string, readonly SourceFile[]>,
  touched: ReadonlySet<SourceFile>,
  fresh: ReadonlyMap<string, number>,
): Shelf[] {
  const single = [...byMonth].flatMap(([month, files]) => {
    const [only] = files;
    const rests = files.length === 1 && only !== undefined && !touched.has(only) && !fresh.has(month);
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

function shelfOf(files: readonly SourceFile[], months: readonly (readonly [string, number])[]): Shelf {
  const rows = files.reduce((sum, file) => sum + fileRows(file), 0);
  return {
    files,
    months: months.map(([month]) => month),
    rows: months.reduce((sum, [, more]) => sum + more, rows),
  };
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
