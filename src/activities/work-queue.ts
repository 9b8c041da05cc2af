/**
 * Works on what a queue gives, so many things at once; what is worked on may bring more. Ends when the queue gives
 * nothing more and nothing is under way. After a failure it begins nothing more, waits for what is under way, and
 * throws the first failure.
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
  async function lane(): Promise<void> {
    for (;;) {
      const work = failures.length === 0 ? next() : undefined;
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
