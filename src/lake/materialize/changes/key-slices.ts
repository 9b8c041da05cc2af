/** A link with its number of changed rows. */
export interface LinkCount {
  readonly link: string;
  readonly rows: number;
}

/** Changed rows that are looked at together: a range of links, or a part of one link's keys. */
export interface KeySlice {
  readonly from: string;
  readonly to: string;
  readonly rows: number;
  /** The keys whose `hash(transaction_id) % parts` is `part`. */
  readonly parts: number;
  readonly part: number;
}

/** Changed rows that SQL may hold the keys of at once (docs/inside/architecture.md, "Materialize"). */
const SLICE_ROWS = 250_000;

/** Below this, memory that does not suffice is no matter of size. */
const FLOOR_ROWS = 5_000;

/** Cuts links, in the order given, into slices of at most so many rows. */
export function keySlices(links: readonly LinkCount[], most = SLICE_ROWS): KeySlice[] {
  const slices: KeySlice[] = [];
  let open: KeySlice | undefined;
  for (const { link, rows } of links) {
    if (open !== undefined && open.rows + rows <= most) {
      open = { ...open, to: link, rows: open.rows + rows };
      continue;
    }
    if (open !== undefined) slices.push(open);
    open = undefined;
    const parts = Math.ceil(rows / most);
    if (parts > 1) {
      for (let part = 0; part < parts; part += 1) {
        slices.push({ from: link, to: link, rows: Math.ceil(rows / parts), parts, part });
      }
    } else open = { from: link, to: link, rows, parts: 1, part: 0 };
  }
  if (open !== undefined) slices.push(open);
  return slices;
}

/** Two halves of a slice that was too much for memory; undefined when it is small already. */
export function halvesOf(slice: KeySlice): [KeySlice, KeySlice] | undefined {
  const rows = Math.ceil(slice.rows / 2);
  if (rows < FLOOR_ROWS) return undefined;
  const parts = slice.parts * 2;
  return [
    { ...slice, rows, parts },
    { ...slice, rows, parts, part: slice.part + slice.parts },
  ];
}
