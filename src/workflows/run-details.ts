import { setCurrentDetails, upsertSearchAttributes, workflowInfo } from "@temporalio/workflow";
import { RUN_ATTRIBUTES, type RunStatus } from "../domain/run.js";

const STATUS = { name: RUN_ATTRIBUTES.status, type: "KEYWORD" } as const;

/** Shows Temporal's UI a run's status, without anything personal, and its listings a search attribute. */
export function tellStatus(status: RunStatus, words: string): void {
  setCurrentDetails(words);
  const told = workflowInfo().typedSearchAttributes.get(STATUS);
  if (told !== undefined && told !== status) upsertSearchAttributes([{ key: STATUS, value: status }]);
}
