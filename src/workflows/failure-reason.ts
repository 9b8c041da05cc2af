import { ApplicationFailure, TemporalFailure } from "@temporalio/workflow";

/** Says why an activity or a child workflow failed: the innermost failure, without those that wrap it. */
export function reasonOf(error: unknown): string {
  const root = rootOf(error);
  if (root instanceof ApplicationFailure) return `${root.type}: ${root.message}`;
  return root instanceof Error ? root.message : "unknown";
}

function rootOf(error: unknown): unknown {
  let root = error;
  while (root instanceof TemporalFailure && root.cause instanceof Error) {
    if (root instanceof ApplicationFailure) break;
    root = root.cause;
  }
  return root;
}
