import { type RowPart, rowParts } from "./row-parts.js";
import type { SourceFile } from "./sources.js";

/**
 * Wide rows that one statement splits by month. It keeps them all in memory until it ends, and two run at a time:
 * 25,000 keep the process near 300 MB; 50,000 near 350, and spill.
 */
const BATCH_ROWS = 25_000;

export interface Batch extends RowPart {
  /** Feed files, read without their superseded rows. */
  readonly feed: readonly SourceFile[];
}

export function feedBatches(files: readonly SourceFile[]): Batch[] {
  const packs: { feed: SourceFile[]; rows: number }[] = [];
  for (const file of files) {
    const rows = fileRows(file);
    const open = packs.at(-1);
    if (open !== undefined && open.rows + rows <= BATCH_ROWS) {
      open.feed.push(file);
      open.rows += rows;
    } else packs.push({ feed: [file], rows });
  }
  return packs.flatMap(({ feed, rows }) => rowParts(rows, BATCH_ROWS).map((part) => ({ feed, ...part })));
}

/** Gives the rows of a file by the log, or a whole batch if another tool left them out. */
export function fileRows(file: Pick<SourceFile, "rows">): number {
  return file.rows ?? BATCH_ROWS;
}
