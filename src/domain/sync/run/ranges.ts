/** Numbered things, from one number up to another. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** How many things some ranges hold. */
export function sizeOf(ranges: readonly Range[]): number {
  return ranges.reduce((sum, { from, to }) => sum + to - from, 0);
}

/** Cuts ranges in two: the first `count` things, and the rest. */
export function splitRanges<R extends Range>(ranges: readonly R[], count: number): [first: R[], rest: R[]] {
  const first: R[] = [];
  const rest: R[] = [];
  let left = Math.max(0, count);
  for (const range of ranges) {
    const middle = Math.min(range.to, range.from + left);
    if (range.from < middle) first.push({ ...range, to: middle });
    if (middle < range.to) rest.push({ ...range, from: middle });
    left -= middle - range.from;
  }
  return [first, rest];
}
