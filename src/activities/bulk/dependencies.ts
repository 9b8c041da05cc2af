import type { BulkRun } from "../../domain/bulk/bulk-job.js";
import type { FrozenBulkRow } from "../../domain/bulk/frozen-row.js";
import { type AnyJob, type JobContext, jobOfKind } from "../../jobs/job.js";
import { BulkStaging } from "../../lake/bulk/bulk-staging.js";
import type { SealedRows } from "../../lake/store/sealed-rows.js";
import type { Dependencies } from "../dependencies.js";

export interface BulkDependencies extends Dependencies {
  readonly jobs: readonly AnyJob[];
  readonly frozenRows: SealedRows<FrozenBulkRow>;
}

export interface OpenRun {
  readonly job: AnyJob;
  readonly staging: BulkStaging;
  context(): Promise<JobContext>;
}

/** Opens a run. @throws InputError when this version does not know its kind. */
export function openRun(deps: BulkDependencies, { runId, kind, staging: id }: BulkRun): OpenRun {
  const staging = stagingOf(deps, id);
  return {
    job: jobOfKind(kind, deps.jobs),
    staging,
    async context() {
      const { options } = await staging.file.require();
      return { runId, lake: deps.lake, sealer: deps.sealed.sealer, options };
    },
  };
}

/** Opens the staging of a name. */
export function stagingOf({ sealed, frozenRows }: BulkDependencies, id: string): BulkStaging {
  return new BulkStaging(sealed, id, frozenRows);
}
