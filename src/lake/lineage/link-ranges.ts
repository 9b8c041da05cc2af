/** A range of links, and how many changed rows it has. */
export interface LinkRange {
  readonly from: string;
  readonly to: string;
  readonly rows: number;
}

/** Groups links, in the order given, into ranges of at most so many rows; a larger link is a range of its own. */
export function linkRanges(
  links: readonly { readonly link: string; readonly rows: number }[],
  most: number,
): LinkRange[] {
  const ranges: LinkRange[] = [];
  for (const { link, rows } of links) {
    const last = ranges.at(-1);
    if (last !== undefined && last.rows + rows <= most) {
      ranges.splice(-1, 1, { ...last, to: link, rows: last.rows + rows });
    } else ranges.push({ from: link, to: link, rows });
  }
  return ranges;
}
