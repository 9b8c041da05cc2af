import { setImmediate } from "node:timers/promises";

const LONGEST_MS = 5;

/**
 * Gives what came with an answer its turn first. Answers come in bunches, and undici lends a connection again one
 * turn of the event loop after its answer: work that begins later keeps no other call from leaving.
 */
export async function connectionsFree(): Promise<void> {
  await setImmediate();
  await setImmediate();
}

/**
 * Work on many small things in place: called before each of them, lets the event loop turn when it has not for
 * {@link LONGEST_MS}. Calls in flight would all wait for the end of it otherwise.
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
