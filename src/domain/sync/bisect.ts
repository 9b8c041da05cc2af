/** Finds what is refused among some items by halving them: one bad item among thousands costs a dozen tries. */
export async function refusedAmong<T>(
  items: readonly T[],
  accepts: (some: readonly T[]) => Promise<boolean>,
): Promise<readonly T[]> {
  if (items.length === 0 || (await accepts(items))) return [];
  if (items.length === 1) return items;
  const middle = Math.ceil(items.length / 2);
  const first = await refusedAmong(items.slice(0, middle), accepts);
  return [...first, ...(await refusedAmong(items.slice(middle), accepts))];
}
