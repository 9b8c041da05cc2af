import type { Client } from "@temporalio/client";
import { followWorkflowId } from "../../domain/onboarding/identity.js";
import { FOLLOW_SIGNALS } from "../../domain/onboarding/messages.js";
import { signalOrStart } from "../running-workflows.js";

/** Whose open rows, and where their workflow runs. */
export interface FollowPlace {
  readonly scope: string;
  readonly taskQueue: string;
}

/** Tells the workflow of all open rows of a lake something; starts it where it does not run. */
export function tellFollow(
  client: Client,
  { scope, taskQueue }: FollowPlace,
  signal: keyof typeof FOLLOW_SIGNALS,
  message: unknown,
): Promise<void> {
  const start = { workflowId: followWorkflowId(scope), taskQueue, args: [{}] };
  return signalOrStart(client, "follow", start, FOLLOW_SIGNALS[signal], message);
}
