/**
 * Works on a queue, several things at once, until it is empty; work may add to it. After a failure it begins nothing
 * more, waits for the rest, and throws the first failure.
 */
export function drainQueue(
  concurrency: number,
  next: () => (() => Promise<void>) | undefined,
): Promise<void> {
  const failures: unknown[] = [];
  let underWay = 0;
  return new Promise((resolve, reject) => {
    async function run(work: () => Promise<void>): Promise<void> {
      underWay += 1;
      try {
        await work();
      } catch (error) {
        failures.push(error);
      }
      underWay -= 1;
      beginMore();
    }
    function beginMore(): void {
      try {
        while (failures.length === 0 && underWay < concurrency) {
          const work = next();
          if (work === undefined) break;
          void run(work);
        }
      } catch (error) {
        failures.push(error);
      }
      if (underWay > 0) return;
      if (failures.length > 0) reject(failures[0]);
      else resolve();
    }
    beginMore();
  });
}

/** Maps items several at once, in order. Fails as {@link drainQueue} does. */
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
