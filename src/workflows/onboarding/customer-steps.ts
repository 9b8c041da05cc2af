import {
  ActivityCancellationType,
  CancellationScope,
  condition,
  proxyActivities,
} from "@temporalio/workflow";
import type { Activities } from "../../activities/create-activities.js";
import { CUSTOMER_STEP } from "../policies.js";

/** The steps of a customer that call the service. */
export const { prepareCustomer, postOnboarding, pollOnboarding, deliverLink } = proxyActivities<Activities>({
  ...CUSTOMER_STEP,
  // Waits, because an attempt that still runs could stage an outcome beside the one that ends its cancelled row.
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
});

/** The failure of a row whose request was abandoned. */
export const UNANSWERED = {
  error_class: "InterruptedError",
  error_message:
    "the batch was cancelled before the service answered the request, so it is not known whether the service carried it out; runs retry looks for it before it sends anything",
};

/**
 * Returns the result of a step; undefined where its row was stopped and the step did not end within `graceMs`. Without
 * this limit a step would retry for an hour against a service that does not answer.
 */
export async function unlessStopped<R>(
  work: () => Promise<R>,
  isStopped: () => boolean,
  graceMs: number,
): Promise<R | undefined> {
  const scope = new CancellationScope();
  let isOver = false;
  const step = scope.run(work).finally(() => {
    isOver = true;
  });
  step.catch(() => undefined);
  let isAbandoned = false;
  try {
    await condition(() => isOver || isStopped());
    isAbandoned = !isOver && !(await condition(() => isOver, graceMs));
  } catch {
    // The step was cancelled with its workflow.
  }
  if (isAbandoned) scope.cancel();
  return step.catch((error: unknown) => {
    if (isAbandoned) return undefined;
    throw error;
  });
}
