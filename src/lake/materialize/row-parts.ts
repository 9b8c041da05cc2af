import { isOutOfMemory } from "../sql/duckdb.js";

/** Splitting further does not help. */
const FLOOR_ROWS = 5_000;

/** Rows whose `hash(key) % parts` is `part`. */
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

/** Works on a part; out of memory, on its halves, and on theirs. */
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
