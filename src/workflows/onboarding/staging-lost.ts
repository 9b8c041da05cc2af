import { ActivityFailure, ApplicationFailure, ChildWorkflowFailure } from "@temporalio/workflow";
import { FAILURE_TYPES } from "../../domain/failures.js";

/** Whether a step or a child workflow ended because the batch's staging is gone, so that no outcome can be staged. */
export function isStagingLost(error: unknown): boolean {
  if (error instanceof ActivityFailure || error instanceof ChildWorkflowFailure)
    return isStagingLost(error.cause);
  return error instanceof ApplicationFailure && error.type === FAILURE_TYPES.stagingLost;
}
