import { activityInfo, Context } from "@temporalio/activity";
import type { HandedRow } from "../../../domain/onboarding/follow/shard.js";
import { type FollowPlace, tellFollow } from "../../../temporal/onboarding/tell-follow.js";
import type { OnboardingDependencies } from "../dependencies.js";

interface HandOverInput {
  readonly scope: string;
  readonly rows: readonly HandedRow[];
}

/** Hands rows of a batch over to the workflow of all open rows, which is started where it does not run. */
export function handOverRows(_: OnboardingDependencies, { scope, rows }: HandOverInput): Promise<void> {
  return tellFollow(Context.current().client, placeOf(scope), "handOver", rows);
}

interface StopInput {
  readonly scope: string;
  readonly batchId: string;
}

/** Stops the open rows of a cancelled batch, also those that wait for people. */
export function stopRows(_: OnboardingDependencies, { scope, batchId }: StopInput): Promise<void> {
  return tellFollow(Context.current().client, placeOf(scope), "stop", batchId);
}

function placeOf(scope: string): FollowPlace {
  return { scope, taskQueue: activityInfo().taskQueue };
}
