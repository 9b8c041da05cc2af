import type { Client, WorkflowExecutionDescription } from "@temporalio/client";
import { ApplicationFailure } from "@temporalio/common";
import { decodeOptionalFailureToOptionalError } from "@temporalio/common/lib/internal-non-workflow/index.js";
import { describeWorkflow } from "../../temporal/running-workflows.js";

/** Workflows within a run that are looked at: all groups of a sync, some customers of a batch. */
const MOST_WITHIN = 4;

/**
 * What holds a run up, in words: the last failure of each of its activities that is being tried again, such
 * as a full disk. A lost worker is none: it says nothing of what to do.
 */
export async function pendingFailuresOf(
  client: Client,
  run: WorkflowExecutionDescription,
): Promise<string[]> {
  const children = (run.raw.pendingChildren ?? []).slice(0, MOST_WITHIN);
  // Undefined for a child that Temporal was asked for and has not started yet.
  const within = await Promise.all(
    children.map(({ workflowId }) => describeWorkflow(client, workflowId ?? "")),
  );
  const described = [run, ...within].filter((workflow) => workflow !== undefined);
  const failures = await Promise.all(described.map((workflow) => failuresOf(client, workflow)));
  return [...new Set(failures.flat())];
}

/** Failures of one kind differ in the file that they name: to tell the first of them is enough. */
export function failureKind(words: string): string {
  return words.replaceAll(/\/\S+/g, "/…");
}

async function failuresOf(client: Client, { raw }: WorkflowExecutionDescription): Promise<string[]> {
  const converter = client.options.loadedDataConverter;
  const words: string[] = [];
  for (const { activityType, lastFailure } of raw.pendingActivities ?? []) {
    const failure = await decodeOptionalFailureToOptionalError(converter, lastFailure);
    if (failure instanceof ApplicationFailure)
      words.push(`${activityType?.name} is tried again: ${failure.message}`);
  }
  return words;
}
