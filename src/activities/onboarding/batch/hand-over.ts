import { activityInfo, Context } from "@temporalio/activity";
import type { HandedRow } from "../../../domain/onboarding/follow/shard.js";
import { tellFollow } from "../../../temporal/onboarding/open-rows.js";
import type { OnboardingDependencies } from "../dependencies.js";

/** Hands rows of a batch over to the workflow of all open rows, which is started where it does not run. */
export function handOverRows(
  _: OnboardingDependencies,
  { scope, rows }: { readonly scope: string; readonly rows: readonly HandedRow[] },
): Promise<void> {
  const { taskQueue } = activityInfo();
  return tellFollow(Context.current().client, { scope, taskQueue }, "handOver", rows);
}

/** Stops the open rows of a cancelled batch, also those that wait for people. */
export function stopRows(
  _: OnboardingDependencies,
  { scope, batchId }: { readonly scope: string; readonly batchId: string },
): Promise<void> {
  const { taskQueue } = activityInfo();
  return tellFollow(Context.current().client, { scope, taskQueue }, "stop", batchId);
}
