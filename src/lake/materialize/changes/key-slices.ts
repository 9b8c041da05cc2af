import { type RowPart, rowParts } from "../row-parts.js";

export interface LinkCount {
  readonly link: string;
  readonly rows: number;
}

/** Changed rows that are compared together: a range of links, or a part of one link's keys. */
export interface KeySlice extends RowPart {
  readonly from: string;
  readonly to: string;
}

/** Changed rows whose keys SQL may hold in memory at once (docs/inside/architecture.md, "Materialize"). */
const SLICE_ROWS = 250_000;

/** A range of links, and how many changed rows it has. */
export interface LinkRange {
  readonly from: string;
  readonly to: string;
  readonly rows: number;
}

/** Groups links, in the order given, into slices of bounded size. */
export function keySlices(links: readonly LinkCount[]): KeySlice[] {
  return linkRanges(links, SLICE_ROWS).flatMap(({ from, to, rows }) =>
    rowParts(rows, SLICE_ROWS).map((part) => ({ from, to, ...part })),
  );
}

/** Groups links, in the order given, into ranges of at most so many rows; a larger link is a range of its own. */
export function linkRanges(links: readonly LinkCount[], most: number): LinkRange[] {
  const ranges: LinkRange[] = [];
  for (const { link, rows } of links) {
    const last = ranges.at(-1);
    if (last !== undefined && last.rows + rows <= most) {
      ranges.splice(-1, 1, { ...last, to: link, rows: last.rows + rows });
    } else ranges.push({ from: link, to: link, rows });
  }
  return ranges;
}
