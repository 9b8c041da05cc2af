import { activityInfo, Context } from "@temporalio/activity";
import type { CustomerInput } from "../../../domain/onboarding/batch/batch-state.js";
import { tellFollow } from "../../../temporal/onboarding/open-rows.js";
import type { OnboardingDependencies } from "../dependencies.js";

/** Hands rows of a batch over to the workflow of all open rows, or stops those of a cancelled batch. */
export function tellRows(
  _: OnboardingDependencies,
  {
    scope,
    signal,
    message,
  }: { readonly scope: string } & (
    | { readonly signal: "handOver"; readonly message: readonly CustomerInput[] }
    | { readonly signal: "stop"; readonly message: string }
  ),
): Promise<void> {
  const { taskQueue } = activityInfo();
  return tellFollow(Context.current().client, { scope, taskQueue }, signal, message);
}
