import { Context } from "@temporalio/activity";
import { customerWorkflowId } from "../../../domain/onboarding/identity.js";
import { describeRunning, signalRunning } from "../../../temporal/running-workflows.js";

/** The part of a customer's workflow id that a batch has in common. */
export interface CustomerNamespace {
  readonly scope: string;
  /** Without its version tag. */
  readonly playbookKey: string;
}

/** Whether the workflow of a customer is running. */
export async function isRunning(of: CustomerNamespace, identity: string): Promise<boolean> {
  return (await describeRunning(Context.current().client, idOf(of, identity))) !== undefined;
}

/** Sends a signal to a customer's workflow; false where there is none that runs. */
export async function signalCustomer(
  of: CustomerNamespace,
  identity: string,
  signal: string,
  ...args: unknown[]
): Promise<boolean> {
  return signalRunning(Context.current().client, idOf(of, identity), signal, ...args);
}

function idOf({ scope, playbookKey }: CustomerNamespace, identity: string): string {
  return customerWorkflowId(scope, playbookKey, identity);
}
