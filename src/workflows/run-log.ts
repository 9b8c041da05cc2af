import { proxySinks, type Sinks } from "@temporalio/workflow";

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
