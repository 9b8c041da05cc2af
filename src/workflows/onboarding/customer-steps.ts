import {
  ActivityCancellationType,
  CancellationScope,
  condition,
  proxyActivities,
} from "@temporalio/workflow";
import type { Activities } from "../../activities/create-activities.js";
import { CUSTOMER_STEP } from "../policies.js";

/** The steps of a customer's way that call the service. */
export const { prepareCustomer, postOnboarding, pollOnboarding, deliverLink } = proxyActivities<Activities>({
  ...CUSTOMER_STEP,
  // An attempt that is still going on could stage an outcome beside the one that its cancelled row ends with.
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
});

/** What a row ends with whose request was given up. */
export const UNANSWERED = {
  error_class: "InterruptedError",
  error_message:
    "the batch was cancelled before the service had answered the request; whether it was carried out is not known, and runs retry looks for it before it sends anything",
};

/**
 * The result of a step; undefined where its row was stopped and the step did not come to its end in so many
 * milliseconds: a service that does not answer would be tried for an hour.
 */
export async function unlessStopped<R>(
  work: () => Promise<R>,
  isStopped: () => boolean,
  patience: number,
): Promise<R | undefined> {
  const scope = new CancellationScope();
  let isOver = false;
  const step = scope.run(work).finally(() => {
    isOver = true;
  });
  step.catch(() => undefined);
  let isGivenUp = false;
  try {
    await condition(() => isOver || isStopped());
    isGivenUp = !isOver && !(await condition(() => isOver, patience));
  } catch {
    // The workflow itself was cancelled, and the step with it.
  }
  if (isGivenUp) scope.cancel();
  return step.catch((error: unknown) => {
    if (isGivenUp) return undefined;
    throw error;
  });
}
