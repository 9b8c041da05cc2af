import { isOutOfMemory } from "../sql/duckdb.js";

/** Below this size, splitting further will not cure an out-of-memory error. */
const FLOOR_ROWS = 5_000;

/** Rows that one statement handles: those of whose key `hash(key) % parts` is `part`. */
export interface RowPart {
  readonly rows: number;
  readonly parts: number;
  readonly part: number;
}

export function rowParts(rows: number, most: number): RowPart[] {
  const parts = Math.max(1, Math.ceil(rows / most));
  return Array.from({ length: parts }, (_, part) => ({ rows: Math.ceil(rows / parts), parts, part }));
}

export function andInPart({ parts, part }: Omit<RowPart, "rows">, key = "transaction_id"): string {
  return parts > 1 ? ` and hash(${key}) % ${parts} = ${part}` : "";
}

/** Works on a part; if memory does not suffice, on its halves, one after the other, and on theirs. */
export async function inHalves<T extends RowPart, R>(
  whole: T,
  work: (part: T) => Promise<R>,
): Promise<readonly R[]> {
  try {
    return [await work(whole)];
  } catch (error) {
    const rows = Math.ceil(whole.rows / 2);
    if (!isOutOfMemory(error) || rows < FLOOR_ROWS) throw error;
    const parts = whole.parts * 2;
    const first = await inHalves({ ...whole, rows, parts }, work);
    return [...first, ...(await inHalves({ ...whole, rows, parts, part: whole.part + whole.parts }, work))];
  }
}

/** A range of links with its number of rows, or one part of it: some of its keys. */
export interface LinkRange extends RowPart {
  readonly from: string;
  readonly to: string;
}

export interface LinkRows {
  readonly link: string;
  readonly rows: number;
}

/** Groups links, in the order given, into ranges of at most so many rows; a larger link is cut into parts. */
export function linkRanges(links: readonly LinkRows[], most: number): LinkRange[] {
  const ranges: LinkRange[] = [];
  for (const { link, rows } of links) {
    const last = ranges.at(-1);
    if (last?.parts === 1 && last.rows + rows <= most) {
      ranges.splice(-1, 1, { ...last, to: link, rows: last.rows + rows });
    } else ranges.push(...rowParts(rows, most).map((part) => ({ from: link, to: link, ...part })));
  }
  return ranges;
}
