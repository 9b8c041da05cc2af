import {
  proxySinks,
  type Sinks,
  setCurrentDetails,
  upsertSearchAttributes,
  workflowInfo,
} from "@temporalio/workflow";
import { RUN_ATTRIBUTES, type RunStatus } from "../domain/run.js";

const STATUS = { name: RUN_ATTRIBUTES.status, type: "KEYWORD" } as const;

/** Shows Temporal's UI a run's status, without anything personal, and its listings a search attribute. */
export function tellStatus(status: RunStatus, words: string): void {
  setCurrentDetails(words);
  const told = workflowInfo().typedSearchAttributes.get(STATUS);
  if (told !== undefined && told !== status) upsertSearchAttributes([{ key: STATUS, value: status }]);
}

/** Lets workflows write `(fields, message)` into the worker's log, once: a replay writes nothing. */
export interface RunLog extends Sinks {
  runLog: Record<
    "info" | "warn",
    (fields: Readonly<Record<string, string | number | undefined>>, message: string) => void
  >;
}

/**
 * The log of workflow code. It writes a line before the workflow task is answered, so before the lines of the activities
 * that the task schedules; the SDK's own `log` delays its lines by a tenth of a second.
 */
export const { runLog } = proxySinks<RunLog>();
