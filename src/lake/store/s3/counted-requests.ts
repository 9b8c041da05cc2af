import { AsyncLocalStorage } from "node:async_hooks";
import type { LakeRequests } from "../../../domain/tables/lake-requests.js";

const counting = new AsyncLocalStorage<{ reads: number; writes: number }>();

/** Counts the requests to a bucket that some work makes, also those that the SDK sends again. */
export async function countingRequests<R>(
  work: () => Promise<R>,
): Promise<{ readonly result: R; readonly requests: LakeRequests }> {
  const requests = { reads: 0, writes: 0 };
  return { result: await counting.run(requests, work), requests };
}

/** What the work that is under way has counted so far; undefined where nothing counts. */
export function requestsSoFar(): LakeRequests | undefined {
  return counting.getStore();
}

export function countRequest(method: string): void {
  const requests = counting.getStore();
  if (requests !== undefined) requests[method === "GET" || method === "HEAD" ? "reads" : "writes"] += 1;
}
