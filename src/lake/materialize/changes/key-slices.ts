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

export function keySlices(links: readonly LinkCount[]): KeySlice[] {
  const slices: KeySlice[] = [];
  for (const { link, rows } of links) {
    const last = slices.at(-1);
    if (last !== undefined && last.parts === 1 && last.rows + rows <= SLICE_ROWS) {
      slices.splice(-1, 1, { ...last, to: link, rows: last.rows + rows });
    } else slices.push(...rowParts(rows, SLICE_ROWS).map((part) => ({ from: link, to: link, ...part })));
  }
  return slices;
}
