import type { Client, WorkflowExecutionDescription, WorkflowHandle } from "@temporalio/client";
import { ApplicationFailure } from "@temporalio/common";
import { decodeOptionalFailureToOptionalError } from "@temporalio/common/lib/internal-non-workflow/index.js";

/** Groups of one run that are looked at; there are no more at a time. */
const MOST_GROUPS = 4;

/**
 * What holds a run up, in words: the last failure of each of its activities that is being tried again, such
 * as a full disk. A lost worker is none: it says nothing of what to do.
 */
export async function troublesOf(client: Client, run: WorkflowExecutionDescription): Promise<string[]> {
  const groups = (run.raw.pendingChildren ?? []).slice(0, MOST_GROUPS).map(({ workflowId }) => {
    const handle: WorkflowHandle = client.workflow.getHandle(workflowId ?? "");
    return handle.describe();
  });
  const described = [run, ...(await Promise.all(groups))];
  const troubles = await Promise.all(described.map((workflow) => failuresOf(client, workflow)));
  return [...new Set(troubles.flat())];
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
