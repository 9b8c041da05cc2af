import { ActivityFailure, ApplicationFailure, ChildWorkflowFailure } from "@temporalio/workflow";
import { FAILURE_TYPES } from "../../domain/failures.js";

/** Whether what ended a step or a child workflow is that the batch's staging is gone: no outcome can be staged. */
export function isStagingLost(error: unknown): boolean {
  if (error instanceof ActivityFailure || error instanceof ChildWorkflowFailure)
    return isStagingLost(error.cause);
  return error instanceof ApplicationFailure && error.type === FAILURE_TYPES.stagingLost;
}
