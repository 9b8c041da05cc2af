import { activityInfo, Context } from "@temporalio/activity";
import type { HandedRow } from "../../../domain/onboarding/follow/shard.js";
import { tellFollow } from "../../../temporal/follow.js";
import type { OnboardingDependencies } from "../dependencies.js";

/** Hands rows of a batch over to the workflow of all open rows, which is started where it does not run. */
export async function handOverRows(
  _deps: OnboardingDependencies,
  { scope, rows }: { readonly scope: string; readonly rows: readonly HandedRow[] },
): Promise<void> {
  await tellFollow(
    Context.current().client,
    { scope, taskQueue: activityInfo().taskQueue },
    "handOver",
    rows,
  );
}

/** Stops the open rows of a cancelled batch, also those that wait for people. */
export async function stopRows(
  _deps: OnboardingDependencies,
  { scope, batchId }: { readonly scope: string; readonly batchId: string },
): Promise<void> {
  await tellFollow(Context.current().client, { scope, taskQueue: activityInfo().taskQueue }, "stop", batchId);
}
