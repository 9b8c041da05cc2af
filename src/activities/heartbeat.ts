import { heartbeat } from "@temporalio/activity";

/** Five for each time-out of ten seconds, so that a busy machine is not taken for a dead one. */
export const HEARTBEAT_EVERY_MS = 2_000;

/** Heartbeats while work goes on, so that a killed worker is noticed within seconds. */
export async function withHeartbeat<R>(work: () => Promise<R>): Promise<R> {
  const timer = setInterval(() => heartbeat(), HEARTBEAT_EVERY_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
