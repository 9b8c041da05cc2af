import type { SourceFile } from "./sources.js";

/**
 * Wide rows that one statement cuts by month: it holds them all until it ends, and two run at a time, so this
 * bounds their memory. 25,000 keep the process near 300 MB; 50,000 at 350, and spill.
 */
const BATCH_ROWS = 25_000;

/** Below this, memory that does not suffice is no matter of size. */
const FLOOR_ROWS = 5_000;

/** Rows of the feed that are written by one statement. */
export interface Batch {
  /** Feed files, read without their superseded rows. */
  readonly feed: readonly SourceFile[];
  readonly rows: number;
  /** The rows whose `hash(transaction_id) % parts` is `part`. */
  readonly parts: number;
  readonly part: number;
}

/** Cuts feed files into batches; one file that is more than a batch is read in parts. */
export function feedBatches(files: readonly SourceFile[], most = BATCH_ROWS): Batch[] {
  return packed(files, most).flatMap(({ files: feed, rows: all }) => {
    const parts = Math.max(1, Math.ceil(all / most));
    const rows = Math.ceil(all / parts);
    return Array.from({ length: parts }, (_, part) => ({ feed, rows, parts, part }));
  });
}

/** Smaller batches with the same rows, for one that was too much for memory; undefined when it is small already. */
export function smallerBatches(batch: Batch): Batch[] | undefined {
  const rows = Math.ceil(batch.rows / 2);
  if (rows < FLOOR_ROWS) return undefined;
  const parts = batch.parts * 2;
  return [
    { ...batch, rows, parts },
    { ...batch, rows, parts, part: batch.part + batch.parts },
  ];
}

/** Rows of a file by the log, or a batch full where another tool left them out. */
export function fileRows(file: Pick<SourceFile, "rows">): number {
  return file.rows ?? BATCH_ROWS;
}

function packed(files: readonly SourceFile[], most: number): { files: SourceFile[]; rows: number }[] {
  const packs: { files: SourceFile[]; rows: number }[] = [];
  for (const file of files) {
    const rows = fileRows(file);
    const open = packs.at(-1);
    if (open !== undefined && open.rows + rows <= most) {
      open.files.push(file);
      open.rows += rows;
    } else packs.push({ files: [file], rows });
  }
  return packs;
}
