/**
 * Whether the mark moves to the cursor that a page gave: after pages 1, 2, 4, 8 and so on. Cursors that circle come
 * back to the mark once it stands in the circle and the way to the next power of two is no shorter than the circle
 * (Brent's algorithm), so any circle is noticed within a few rounds, and one hash is all that is kept.
 */
export function movesMark(page: number): boolean {
  return Number.isInteger(Math.log2(page));
}
