import { ApplicationFailure, type WorkflowInterceptors, workflowInfo } from "@temporalio/workflow";
import { FAILURE_TYPES } from "../domain/failures.js";
import { isUnsealed, NOT_SEALED } from "../domain/sealer.js";
import { runLog } from "./run-details.js";

/** Refuses what was sent without the deployment's keys (docs/inside/security.md, "Who can steer Temporal"). */
export const interceptors = (): WorkflowInterceptors => ({
  inbound: [
    {
      execute(input, next) {
        const { memo = {}, workflowId } = workflowInfo();
        if (isSealed(input.args) && !Object.values(memo).some(isUnsealed)) return next(input);
        const message = `the input or the memo of this workflow ${NOT_SEALED}`;
        runLog.warn({ workflow_id: workflowId }, message);
        return Promise.reject(ApplicationFailure.nonRetryable(message, FAILURE_TYPES.input));
      },
      handleSignal(input, next) {
        if (isSealed(input.args)) return next(input);
        const { workflowId } = workflowInfo();
        runLog.warn({ workflow_id: workflowId, signal: input.signalName }, `this signal ${NOT_SEALED}`);
        return Promise.resolve();
      },
    },
  ],
});

/** Whoever sends nothing shows no key: each workflow and each signal of ours has a payload. */
function isSealed(args: readonly unknown[]): boolean {
  return args.length > 0 && !args.some(isUnsealed);
}
