import { isRunId } from "../../domain/run.js";
import type { StartedRun } from "../../intake/start-or-join.js";
import { JOBS } from "../../jobs/index.js";
import { bulkRun } from "../bulk/bulk-run.js";
import { batchRun } from "../onboarding/batch-run.js";
import type { JobRun } from "../session/job-run.js";
import type { JobSession } from "../session/job-session.js";
import { syncRun } from "../sync/sync-run.js";
import type { Terminal } from "../terminal/terminal.js";

/** First word of the ids of a job's runs. */
export const RUN_KINDS: readonly string[] = ["sync", "onboard", ...JOBS.map(({ kind }) => kind)];

/** Says of which kind of job an id is a run; undefined for what is not the id of a run. */
export function kindOf(runId: string): string | undefined {
  return RUN_KINDS.find((kind) => isRunId(kind, runId));
}

export function batchOf(workflowId: string): string {
  return workflowId.slice(workflowId.lastIndexOf("/") + 1);
}

type AnyJobRun = JobRun<unknown, unknown>;

/** Makes a run in progress as its own command sees it; `start` joins it. */
export function jobRunOf(
  terminal: Terminal,
  { runId, workflowId }: { readonly runId: string; readonly workflowId: string },
  start: (session: JobSession) => Promise<StartedRun>,
): AnyJobRun {
  const kind = kindOf(runId);
  if (kind === "sync") return syncRun(terminal, start) as AnyJobRun;
  if (kind === "onboard") return batchRun(terminal, batchOf(workflowId), {}, start) as AnyJobRun;
  const job = JOBS.find((one) => one.kind === kind);
  if (job === undefined) throw new Error(`${runId} is a run of no job that is known here`);
  return bulkRun(job, start) as AnyJobRun;
}
