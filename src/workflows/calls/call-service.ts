import {
  defineQuery,
  isCancellation,
  proxyActivities,
  setHandler,
  sleep,
  workflowInfo,
} from "@temporalio/workflow";
import type { CallResult } from "../../activities/calls/make-call.js";
import type { Activities } from "../../activities/create-activities.js";
import { type FailureFacts, failureFacts } from "../failure-reason.js";
import { CALL_POLICIES } from "../policies.js";

/** One call has no steps to show; that it answers at all says that a worker has it. */
export type CallProgress = Readonly<Record<string, never>>;

export interface CallServiceInput {
  readonly operation: string;
  /** Staging prefix of the call, where its sealed request is. */
  readonly prefix: string;
}

export type CallServiceResult = CallResult | { readonly failure: FailureFacts };

/** Makes one call of the service, which takes effect once, whatever is killed. */
export async function callService({ operation, prefix }: CallServiceInput): Promise<CallServiceResult> {
  setHandler(defineQuery<CallProgress>("progress"), () => ({}));
  const { makeCall } = proxyActivities<Pick<Activities, "makeCall">>({
    ...CALL_POLICIES[operation],
    summary: operation,
  });
  try {
    return await makeCall({ run: workflowInfo().runId, prefix });
  } catch (error) {
    if (isCancellation(error)) throw error;
    return { failure: failureFacts(error) };
  }
}

/**
 * Lives until the service may be called again (epoch milliseconds), so that every worker sees the pause that one of
 * them was asked for; its memo says when that is.
 */
export async function servicePause(until: number): Promise<void> {
  const left = until - Date.now();
  if (left > 0) await sleep(left);
}
