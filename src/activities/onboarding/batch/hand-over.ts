import { activityInfo, Context } from "@temporalio/activity";
import type { HandedRow } from "../../../domain/onboarding/follow/shard.js";
import { followStart } from "../../../domain/onboarding/identity.js";
import { FOLLOW_SIGNALS, FOLLOW_WORKFLOW } from "../../../domain/onboarding/messages.js";
import { signalOrStart } from "../../../temporal/running-workflows.js";
import type { OnboardingDependencies } from "../dependencies.js";

interface HandOverInput {
  readonly scope: string;
  readonly rows: readonly HandedRow[];
}

/** Hands rows of a batch over to the workflow of all open rows, which is started where it does not run. */
export function handOverRows(_: OnboardingDependencies, { scope, rows }: HandOverInput): Promise<void> {
  return tell(scope, FOLLOW_SIGNALS.handOver, rows);
}

interface StopInput {
  readonly scope: string;
  readonly batchId: string;
}

/** Stops the open rows of a cancelled batch, also those that wait for people. */
export function stopRows(_: OnboardingDependencies, { scope, batchId }: StopInput): Promise<void> {
  return tell(scope, FOLLOW_SIGNALS.stop, batchId);
}

function tell(scope: string, signal: string, message: unknown): Promise<void> {
  const { taskQueue } = activityInfo();
  const start = followStart({ scope, taskQueue });
  return signalOrStart(Context.current().client, FOLLOW_WORKFLOW, start, signal, message);
}
