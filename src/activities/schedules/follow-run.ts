import { Context, cancellationSignal } from "@temporalio/activity";
import type { RunStatus } from "../../domain/run.js";
import type { StartedFiring } from "../../domain/schedules/scheduled-run.js";
import { withHeartbeat } from "../heartbeat.js";

/** Waits for a run to end, however long that takes; how it ended. */
export async function followRun(
  _: unknown,
  { workflowId, execution }: StartedFiring,
): Promise<{ readonly status: RunStatus }> {
  const { client, cancelled } = Context.current();
  const handle = client.workflow.getHandle(workflowId, execution);
  // A worker that stops must not wait for the run.
  const ended = client.withAbortSignal(cancellationSignal(), () => handle.result());
  return withHeartbeat(async () => {
    try {
      const { status } = (await Promise.race([ended, cancelled])) as { readonly status: RunStatus };
      return { status };
    } catch (error) {
      if (!(error instanceof Error) || error.name !== "WorkflowFailedError") throw error;
      const cause = error.cause instanceof Error ? error.cause.name : "";
      return { status: /^(CancelledFailure|TerminatedFailure)$/.test(cause) ? "cancelled" : "failed" };
    } finally {
      ended.catch(() => undefined);
    }
  });
}
