import { setCurrentDetails, upsertSearchAttributes, workflowInfo } from "@temporalio/workflow";
import { RUN_ATTRIBUTES, type RunStatus } from "../domain/run.js";

const STATUS = { name: RUN_ATTRIBUTES.status, type: "KEYWORD" } as const;

/**
 * Shows the status of a run in Temporal: as words without anything personal in its UI, and as a search attribute where
 * the run was started with one.
 */
export function tellStatus(status: RunStatus, words: string): void {
  setCurrentDetails(words);
  const told = workflowInfo().typedSearchAttributes.get(STATUS);
  if (told !== undefined && told !== status) upsertSearchAttributes([{ key: STATUS, value: status }]);
}
