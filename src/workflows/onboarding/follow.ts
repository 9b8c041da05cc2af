import { continueAsNew } from "@temporalio/workflow";
import { FollowRun, type FollowState } from "./follow-run.js";

interface FollowInput {
  /** By the execution before. */
  readonly carried?: FollowState;
}

/**
 * Works on the open rows of a lake: posts and polls them in slices, waits until the next one is due or there is news,
 * and tells their batches. It ends when no row is open; the next row starts it again. What it knows of rows is in the
 * staging area, so that its history holds row numbers and ids of the service only.
 */
export async function follow({ carried }: FollowInput): Promise<void> {
  const run = new FollowRun(carried);
  if ((await run.run()) === "done") return;
  await continueAsNew<typeof follow>({ carried: run.state });
}
