import { ApplicationFailure, TemporalFailure } from "@temporalio/workflow";

/** Says why an activity or a child workflow failed: the innermost failure, without those that wrap it. */
export function reasonOf(error: unknown): string {
  const root = rootOf(error);
  if (root instanceof ApplicationFailure) return `${root.type}: ${root.message}`;
  return root instanceof Error ? root.message : "unknown";
}

/** Why a call failed: the error's class and words, and what is known of the request. */
export interface FailureFacts {
  readonly class: string;
  readonly message: string;
  /** `operation`, `sent`, `status`, `reason`, as far as they are known. */
  readonly [fact: string]: unknown;
}

/** As {@link reasonOf}, with what is known of the request. */
export function failureFacts(error: unknown): FailureFacts {
  const root = rootOf(error);
  if (!(root instanceof ApplicationFailure)) return { class: "Error", message: reasonOf(error) };
  const [facts] = (root.details ?? []) as readonly (Record<string, unknown> | undefined)[];
  return { ...facts, class: root.type ?? "Error", message: root.message };
}

function rootOf(error: unknown): unknown {
  let root = error;
  while (root instanceof TemporalFailure && root.cause instanceof Error) {
    if (root instanceof ApplicationFailure) break;
    root = root.cause;
  }
  return root;
}
