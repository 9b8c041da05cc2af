import { type Batch, fileRows, liveBatches, monthOf } from "../batches.js";
import type { SourceFile } from "../sources.js";
import { FILE_ROWS } from "./month-cut.js";

/** Files with fewer rows are written together with new rows of their month; so are as few new rows with a file. */
const SMALL_ROWS = FILE_ROWS / 2;

/** How many a month gives at once, so that many small files don't make one night long. */
const MOST_SMALL_FILES = 16;

/** A larger file is cut anew when it is rewritten. */
const LARGEST_ROWS = FILE_ROWS * 2;

/** One live file to write again, with the fresh rows of one month. */
export interface Rewrite {
  readonly file: SourceFile;
  readonly month: string | undefined;
}

/** How live files and fresh rows become new files. */
interface RewritePlan {
  /** A file for a file: half the work of cutting rows into several. */
  readonly rewrites: readonly Rewrite[];
  /** Rows to be cut by month. */
  readonly batches: readonly Batch[];
  /** All live files that are read. */
  readonly replaced: readonly SourceFile[];
}

/**
 * Plans new files for touched ones and for the fresh rows of each month. A few fresh rows join the smallest
 * touched file of their month, and many are cut together with its small files; else each night would leave
 * another small file in every month.
 */
export function planRewrite(
  live: readonly SourceFile[],
  touched: readonly SourceFile[],
  fresh: ReadonlyMap<string, number>,
): RewritePlan {
  const single = touched.filter((file) => fileRows(file) <= LARGEST_ROWS);
  const joined = new Map<SourceFile, string>();
  const left = new Map(fresh);
  for (const file of [...single].sort((a, b) => fileRows(a) - fileRows(b))) {
    const rows = left.get(monthOf(file));
    if (rows === undefined || rows > SMALL_ROWS) continue;
    joined.set(file, monthOf(file));
    left.delete(monthOf(file));
  }
  const small = smallFiles(live, touched, left);
  const large = touched.filter((file) => fileRows(file) > LARGEST_ROWS);
  return {
    rewrites: single.map((file) => ({ file, month: joined.get(file) })),
    batches: liveBatches([...large, ...small], left),
    replaced: [...touched, ...small],
  };
}

function smallFiles(
  live: readonly SourceFile[],
  touched: readonly SourceFile[],
  fresh: ReadonlyMap<string, number>,
): SourceFile[] {
  const taken = new Set(touched);
  const left = new Map([...fresh.keys()].map((month) => [month, MOST_SMALL_FILES]));
  return live.filter((file) => {
    const more = left.get(monthOf(file)) ?? 0;
    if (more === 0 || taken.has(file) || fileRows(file) >= SMALL_ROWS) return false;
    left.set(monthOf(file), more - 1);
    return true;
  });
}
