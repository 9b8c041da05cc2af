import { Context } from "@temporalio/activity";
import { customerWorkflowId } from "../../domain/onboarding/identity.js";

/** The part of a customer's workflow id that a batch has in common. */
export interface CustomerNamespace {
  readonly scope: string;
  /** Without its version tag. */
  readonly playbookKey: string;
}

/** Whether the workflow of a customer is running. */
export async function isRunning(of: CustomerNamespace, identity: string): Promise<boolean> {
  try {
    const { status } = await handleOf(of, identity).describe();
    return status.name === "RUNNING";
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

/** Sends a signal to a customer's workflow; false where there is none that runs. */
export async function signalCustomer(
  of: CustomerNamespace,
  identity: string,
  signal: string,
  ...args: unknown[]
): Promise<boolean> {
  return signalRunning(handleOf(of, identity).workflowId, signal, ...args);
}

/** Sends a signal to a workflow; false where there is none that runs. */
export async function signalRunning(
  workflowId: string,
  signal: string,
  ...args: unknown[]
): Promise<boolean> {
  try {
    await Context.current()
      .client.workflow.getHandle(workflowId)
      .signal(signal, ...args);
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

function handleOf({ scope, playbookKey }: CustomerNamespace, identity: string) {
  return Context.current().client.workflow.getHandle(customerWorkflowId(scope, playbookKey, identity));
}

const GRPC_NOT_FOUND = 5;

// Over the worker's own connection it comes as a bare service error.
function isNotFound(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.name === "WorkflowNotFoundError") return true;
  const cause = error.cause as { code?: unknown } | undefined;
  return (error as { code?: unknown }).code === GRPC_NOT_FOUND || cause?.code === GRPC_NOT_FOUND;
}
