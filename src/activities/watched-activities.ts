import { ApplicationFailure, activityInfo, CancelledFailure } from "@temporalio/activity";
import { withHeartbeat } from "./heartbeat.js";
import type { RunWarnings } from "./run-warnings.js";

type Activity = (input: never) => Promise<unknown>;

/** Checks first what all activities need, sends their heartbeats, and logs their failures with the ids of what they worked on. */
export function watchedActivities<A extends Readonly<Record<string, Activity>>>(
  activities: A,
  warnings: RunWarnings,
  check: () => Promise<void>,
): A {
  const watched = Object.entries(activities).map(([activity, work]) => [
    activity,
    async (input: never) => {
      try {
        await check();
        return await withHeartbeat(() => work(input));
      } catch (error) {
        if (error instanceof Error && !(error instanceof CancelledFailure)) {
          const { attempt, workflowExecution } = activityInfo();
          const { runId } = ((input as unknown) ?? {}) as { readonly runId?: string };
          const ids = {
            workflow_id: workflowExecution?.workflowId ?? "",
            ...(runId && { run_id: runId }),
            activity,
          };
          warnings.failed(ids, error, { attempt, ...factsOf(error) });
        }
        throw error;
      }
    },
  ]);
  return Object.fromEntries(watched) as A;
}

function factsOf(error: Error): Readonly<Record<string, unknown>> {
  if (!(error instanceof ApplicationFailure)) return {};
  const [facts] = (error.details ?? []) as readonly unknown[];
  return { ...(facts as object | undefined), class: error.type };
}
