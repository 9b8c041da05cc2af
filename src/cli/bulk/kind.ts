import type { AnyJob } from "../../jobs/job.js";
import type { RunKind } from "../shell/kind.js";
import type { JobRun } from "../shell/run.js";
import { bulkRun } from "./form.js";
import { nextSteps } from "./next-steps.js";
import { retryBulk } from "./steer.js";

/** The runs of a kind of bulk job; its declaration says all that tells them from others. */
export function runsOfJob(job: AnyJob): RunKind {
  return {
    kind: job.kind,
    rows: job.file.rows,
    keepsStaging: job.effect,
    mayBeUnsure: job.isUnsure !== undefined,
    tables: job.tables,
    skippedRows: (runId) => job.skippedRows?.(runId),
    countedRows: (runId) => job.countedRows?.(runId),
    runOf: (_, __, join) => bulkRun(job, join) as JobRun<unknown, unknown>,
    retry: (terminal, id, flags) => retryBulk(terminal, job, id, flags),
    next({ run_id: runId, status, counts }, failed) {
      // Only a run that went through all of its rows keeps the failed ones.
      if (status !== "completed_with_failures" || (counts.failed ?? 0) === 0) return [];
      const { users = 0, failed: failures = 0, skipped = 0 } = counts;
      const isNoneDone = failures + skipped >= users;
      return nextSteps(job, { runId, reasons: failed.map(({ reason }) => reason), isAll: true, isNoneDone });
    },
  };
}
