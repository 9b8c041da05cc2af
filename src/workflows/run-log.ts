import { proxySinks, type Sinks } from "@temporalio/workflow";

/** What workflows write into the worker's log: `(fields, message)`, once, and not again in a replay. */
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
