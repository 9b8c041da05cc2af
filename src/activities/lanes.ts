/**
 * Works on items, so many at once; results in the items' order. After a failure the work under way is waited
 * for, and the first failure is thrown.
 */
export async function inLanes<T, R>(
  lanes: number,
  items: readonly T[],
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results = new Array<R>(items.length);
  let next = 0;
  async function lane(): Promise<void> {
    while (next < items.length) {
      const at = next;
      next += 1;
      results[at] = await work(items[at] as T);
    }
  }
  const settled = await Promise.allSettled(Array.from({ length: Math.min(lanes, items.length) }, lane));
  const broken = settled.find((result) => result.status === "rejected");
  if (broken !== undefined) throw broken.reason;
  return results;
}
