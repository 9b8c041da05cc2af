import type { SourceFile } from "./sources.js";

/**
 * Wide rows that one statement cuts into files: it holds them all until it ends, and two run at a time, so this
 * bounds their memory. 25,000 keep the process near 300 MB; 50,000 at 350, and spill.
 */
const BATCH_ROWS = 25_000;

/** Below this, memory that does not suffice is no matter of size. */
const FLOOR_ROWS = 5_000;

/** Rows that are written by one statement. */
export interface Batch {
  /** Feed files, read without their superseded rows. */
  readonly feed: readonly SourceFile[];
  /** Live files of `transactions`, read without the rows that are gone. */
  readonly live: readonly SourceFile[];
  /** Months (`YYYY-MM`) whose rows in the table `FRESH` are read as well. */
  readonly months: readonly string[];
  readonly rows: number;
  /** The rows whose `hash(transaction_id) % parts` is `part`. */
  readonly parts: number;
  readonly part: number;
}

/** Cuts feed files into batches; one file that is more than a batch is read in parts. */
export function feedBatches(files: readonly SourceFile[], most = BATCH_ROWS): Batch[] {
  return packed(files, most).flatMap(({ files: feed, rows }) => inParts({ feed, rows }, most));
}

/**
 * Cuts live files that are to be replaced into batches, a month's files together, each month with its fresh
 * rows.
 */
export function liveBatches(
  files: readonly SourceFile[],
  fresh: ReadonlyMap<string, number>,
  most = BATCH_ROWS,
): Batch[] {
  const sorted = [...files].sort((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1));
  const left = new Map(fresh);
  const batches: Batch[] = [];
  let open = emptyBatch();
  const add = (file: SourceFile | undefined, month: string) => {
    const rows = (file === undefined ? 0 : fileRows(file)) + (left.get(month) ?? 0);
    if (open.rows > 0 && open.rows + rows > most) {
      batches.push(...inParts(open, most));
      open = emptyBatch();
    }
    open = {
      ...open,
      live: file === undefined ? open.live : [...open.live, file],
      months: left.delete(month) ? [...open.months, month] : open.months,
      rows: open.rows + rows,
    };
  };
  for (const file of sorted) add(file, monthOf(file));
  for (const month of [...left.keys()].sort()) add(undefined, month);
  if (open.rows > 0) batches.push(...inParts(open, most));
  return batches;
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

/** The month of a file's first day; files without bounds come first. */
export function monthOf(file: SourceFile): string {
  return file.firstDay?.slice(0, 7) ?? "";
}

/** Rows of a file by the log, or a batch full where another tool left them out. */
export function fileRows(file: SourceFile): number {
  return file.rows ?? BATCH_ROWS;
}

function emptyBatch(): Batch {
  return { feed: [], live: [], months: [], rows: 0, parts: 1, part: 0 };
}

function placeOf(file: SourceFile): string {
  return `${monthOf(file)} ${file.links?.[0] ?? ""}`;
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

function inParts(batch: Partial<Batch> & { readonly rows: number }, most: number): Batch[] {
  const parts = Math.max(1, Math.ceil(batch.rows / most));
  const rows = Math.ceil(batch.rows / parts);
  return Array.from({ length: parts }, (_, part) => ({ ...emptyBatch(), ...batch, rows, parts, part }));
}
