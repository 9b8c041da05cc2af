import { ApplicationFailure, TemporalFailure } from "@temporalio/workflow";

/** Why an activity or a child workflow failed, as summaries show it: the failure below those that wrap it. */
export function reasonOf(error: unknown): string {
  let root = error;
  while (root instanceof TemporalFailure && root.cause instanceof Error) {
    if (root instanceof ApplicationFailure) break;
    root = root.cause;
  }
  if (root instanceof ApplicationFailure) return `${root.type}: ${root.message}`;
  return root instanceof Error ? root.message : "unknown";
}
