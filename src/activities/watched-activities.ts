import { ApplicationFailure, activityInfo, CancelledFailure } from "@temporalio/activity";
import type { CountedRequests } from "../domain/tables/lake-requests.js";
import { countingRequests } from "../lake/store/s3/s3-client.js";
import { withHeartbeat } from "./event-loop.js";
import type { RunWarnings } from "./run-warnings.js";

type Activity = (input: never) => Promise<unknown>;

/**
 * Checks first what all activities need, sends their heartbeats, and logs their failures with the ids of what they worked
 * on. Those that are counted say beside their result how many requests they took.
 */
export function watchedActivities<A extends Readonly<Record<string, Activity>>>(
  activities: A,
  warnings: RunWarnings,
  check: () => Promise<void>,
  counted: ReadonlySet<string> = new Set(),
): A {
  const watched = Object.entries(activities).map(([activity, work]) => [
    activity,
    async (input: never) => {
      try {
        const checked = async () => {
          await check();
          return withHeartbeat(() => work(input));
        };
        return await (counted.has(activity) ? withRequests(checked) : checked());
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

/** Adds to a result how many requests to the lake's bucket it took, unless it says so itself. */
async function withRequests(work: () => Promise<unknown>): Promise<object> {
  const { result, requests } = await countingRequests(work);
  return { lake_requests: requests, ...(result as object | undefined) } satisfies CountedRequests;
}

function factsOf(error: Error): Readonly<Record<string, unknown>> {
  if (!(error instanceof ApplicationFailure)) return {};
  const [facts] = (error.details ?? []) as readonly unknown[];
  return { ...(facts as object | undefined), class: error.type };
}
