/**
 * Works on what a queue gives, so many things at once; what is worked on may bring more. Ends when the queue gives
 * nothing more and nothing is under way. After a failure, of the queue or of a piece of work, it begins nothing more,
 * waits for what is under way, and throws the first failure.
 *
 * @param next the next thing to do; undefined where there is none at the moment
 */
export async function drainQueue(
  concurrency: number,
  next: () => (() => Promise<void>) | undefined,
): Promise<void> {
  const failures: unknown[] = [];
  let idle: (() => void)[] = [];
  let underWay = 0;
  function taken(): (() => Promise<void>) | undefined {
    try {
      return failures.length === 0 ? next() : undefined;
    } catch (error) {
      failures.push(error);
      return undefined;
    }
  }
  async function lane(): Promise<void> {
    for (;;) {
      const work = taken();
      if (work !== undefined) {
        underWay += 1;
        try {
          await work();
        } catch (error) {
          failures.push(error);
        }
        underWay -= 1;
        const woken = idle;
        idle = [];
        for (const wake of woken) wake();
      } else if (underWay > 0) {
        await new Promise<void>((wake) => idle.push(wake));
      } else {
        return;
      }
    }
  }
  await Promise.all(Array.from({ length: concurrency }, lane));
  if (failures.length > 0) throw failures[0];
}

/** Maps items, so many at once; results in the items' order. Ends and fails as {@link drainQueue} does. */
export async function mapConcurrent<T, R>(
  concurrency: number,
  items: readonly T[],
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results = new Array<R>(items.length);
  let next = 0;
  await drainQueue(Math.min(concurrency, items.length), () => {
    if (next === items.length) return undefined;
    const at = next;
    next += 1;
    return async () => {
      results[at] = await work(items[at] as T);
    };
  });
  return results;
}
