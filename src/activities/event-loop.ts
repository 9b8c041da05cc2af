import { setImmediate } from "node:timers/promises";
import { heartbeat } from "@temporalio/activity";

const LONGEST_MS = 5;

/**
 * Waits until undici has freed connections. It frees one a turn of the event loop after its answer, and answers come in
 * bunches: work that begins after that does not delay other calls.
 */
export async function connectionsFree(): Promise<void> {
  await setImmediate();
  await setImmediate();
}

/** Call the result before each of many small things: it lets the event loop turn, for calls in flight. */
export function yieldEvery(): () => Promise<void> | undefined {
  let since = performance.now();
  return () => {
    if (performance.now() - since < LONGEST_MS) return undefined;
    return setImmediate().then(() => {
      since = performance.now();
    });
  };
}

/** Five heartbeats per time-out of ten seconds, so that a busy machine does not count as dead. */
export const HEARTBEAT_EVERY_MS = 2_000;

/** Heartbeats during work, so that Temporal notices a killed worker within seconds. */
export async function withHeartbeat<R>(work: () => Promise<R>): Promise<R> {
  const timer = setInterval(() => heartbeat(), HEARTBEAT_EVERY_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
