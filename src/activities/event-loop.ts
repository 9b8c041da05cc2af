import { setImmediate } from "node:timers/promises";

const LONGEST_MS = 5;

/**
 * Waits until undici has freed connections. It frees one a turn of the event loop after its answer, and answers come in
 * bunches: work that begins after that does not delay other calls.
 */
export async function connectionsFree(): Promise<void> {
  await setImmediate();
  await setImmediate();
}

/**
 * Makes a function to call before each of many small pieces of work. It lets the event loop turn when that has not
 * turned for {@link LONGEST_MS}, because calls in flight would have to wait otherwise.
 */
export function breather(): () => Promise<void> | undefined {
  let since = performance.now();
  return () => {
    if (performance.now() - since < LONGEST_MS) return undefined;
    return setImmediate().then(() => {
      since = performance.now();
    });
  };
}
