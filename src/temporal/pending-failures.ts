import type { Client, WorkflowExecutionDescription } from "@temporalio/client";
import { ApplicationFailure } from "@temporalio/common";
import { decodeOptionalFailureToOptionalError } from "@temporalio/common/lib/internal-non-workflow/index.js";
import { describeWorkflow } from "./running-workflows.js";

/** Child workflows that are inspected. */
const MOST_WITHIN = 4;

/** Type of the failure when a worker was told to stop, as by Ctrl-C: the next worker continues. */
const WORKER_STOPPED = "WorkerShutdown";

/** Attempts that may fail unreported, where the failure does not say what to do. */
const MOST_SILENT_ATTEMPTS = 3;

/**
 * Describes what holds a run up: the last failure of each activity that is being retried, such as a full disk. A
 * timeout or a lost worker counts from the fourth attempt on: a single one means nothing. A run whose memo says in which
 * workflow it `worksIn` is held up by that one too.
 */
export async function pendingFailuresOf(
  client: Client,
  run: WorkflowExecutionDescription,
): Promise<string[]> {
  const children = (run.raw.pendingChildren ?? []).slice(0, MOST_WITHIN);
  const ids = [...children.map(({ workflowId }) => workflowId), run.memo?.worksIn];
  // Undefined for a child that Temporal has not started yet.
  const within = await Promise.all(
    ids.filter((id) => typeof id === "string").map((id) => describeWorkflow(client, id)),
  );
  const described = [run, ...within].filter((workflow) => workflow !== undefined);
  const failures = await Promise.all(described.map((workflow) => failuresOf(client, workflow)));
  return [...new Set(failures.flat())];
}

/** Failures that differ only in the file they name are of one kind: the first one is reported. */
export function failureKind(words: string): string {
  return words.replaceAll(/\/\S+/g, "/…");
}

async function failuresOf(client: Client, { raw, type }: WorkflowExecutionDescription): Promise<string[]> {
  const converter = client.options.loadedDataConverter;
  const words: string[] = [];
  for (const { activityType, lastFailure, attempt } of raw.pendingActivities ?? []) {
    const failure = await decodeOptionalFailureToOptionalError(converter, lastFailure);
    if (failure === undefined) continue;
    if (failure instanceof ApplicationFailure && failure.type === WORKER_STOPPED) continue;
    if (failure instanceof ApplicationFailure || (attempt ?? 0) > MOST_SILENT_ATTEMPTS)
      words.push(`${activityType?.name} is tried again: ${failure.message}`);
  }
  if ((raw.pendingWorkflowTask?.attempt ?? 0) > MOST_SILENT_ATTEMPTS)
    words.push(`the workflow ${type} itself fails again and again; the log says why`);
  return words;
}
