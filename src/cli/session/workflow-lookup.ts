import { type Client, type WorkflowExecutionDescription, WorkflowNotFoundError } from "@temporalio/client";

/** What Temporal knows of a workflow; undefined where there is none of that id. */
export async function describeWorkflow(
  client: Client,
  workflowId: string,
): Promise<WorkflowExecutionDescription | undefined> {
  try {
    return await client.workflow.getHandle(workflowId).describe();
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}

/** As {@link describeWorkflow}, where it is running. */
export async function describeRunning(
  client: Client,
  workflowId: string,
): Promise<WorkflowExecutionDescription | undefined> {
  const found = await describeWorkflow(client, workflowId);
  return found?.status.name === "RUNNING" ? found : undefined;
}
