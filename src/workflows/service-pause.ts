import { sleep } from "@temporalio/workflow";

/**
 * Lives until the service may be called again (epoch milliseconds), so that every worker sees the pause that one of
 * them was asked for; its memo says when that is.
 */
export async function servicePause(until: number): Promise<void> {
  const left = until - Date.now();
  if (left > 0) await sleep(left);
}
