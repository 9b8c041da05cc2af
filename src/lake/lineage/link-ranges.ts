import { type RowPart, rowParts } from "../materialize/row-parts.js";

/** A range of links with its number of changed rows, or one part of it: some of its accounts. */
export interface LinkRange extends RowPart {
  readonly from: string;
  readonly to: string;
}

/** Groups links, in the order given, into ranges of at most so many rows; a larger link is judged in parts. */
export function linkRanges(
  links: readonly { readonly link: string; readonly rows: number }[],
  most: number,
): LinkRange[] {
  const ranges: LinkRange[] = [];
  for (const { link, rows } of links) {
    const last = ranges.at(-1);
    if (last?.parts === 1 && last.rows + rows <= most) {
      ranges.splice(-1, 1, { ...last, to: link, rows: last.rows + rows });
    } else ranges.push(...rowParts(rows, most).map((part) => ({ from: link, to: link, ...part })));
  }
  return ranges;
}

/** SQL of whether a row's account is in a part. */
export function accountInPart({ parts, part }: RowPart): string {
  return parts === 1 ? "true" : `hash(coalesce(account_id, '')) % ${parts} = ${part}`;
}
