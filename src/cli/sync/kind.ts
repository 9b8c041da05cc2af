import { failureAction } from "../../domain/sync/failure-action.js";
import { skippedAction } from "../../domain/sync/link-obstacle.js";
import { RETRY_ONLY, type RunKind } from "../shell/kind.js";
import type { JobRun } from "../shell/run.js";
import { syncRun } from "./form.js";
import { retrySync } from "./retry.js";

export const SYNC: RunKind = {
  kind: "sync",
  runOf: (terminal, _, join) => syncRun(terminal, join) as JobRun<unknown, unknown>,
  retry: retrySync,
  next: ({ run_id }) => [`${RETRY_ONLY} runs retry ${run_id}`],
  action: ({ status, reason }) =>
    status === "failed" ? failureAction(reason) : (skippedAction(reason) ?? null),
};
