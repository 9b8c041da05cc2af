import { heartbeat } from "@temporalio/activity";

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
