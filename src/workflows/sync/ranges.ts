/** How many things some ranges hold, each from one number up to another. */
export function sizeOf(ranges: readonly { readonly from: number; readonly to: number }[]): number {
  return ranges.reduce((sum, { from, to }) => sum + to - from, 0);
}
