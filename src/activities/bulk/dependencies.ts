import type { BulkRun } from "../../domain/bulk/bulk-job.js";
import type { FrozenBulkRow } from "../../domain/bulk/frozen-row.js";
import { InputError } from "../../domain/failures.js";
import type { AnyJob } from "../../jobs/job.js";
import { BulkStaging } from "../../lake/bulk/bulk-staging.js";
import type { SealedRows } from "../../lake/store/sealed-rows.js";
import type { Dependencies } from "../dependencies.js";

/** What activities of bulk jobs work with. */
export interface BulkDependencies extends Dependencies {
  readonly jobs: readonly AnyJob[];
  readonly frozenRows: SealedRows<FrozenBulkRow>;
}

/** One group of a run: `groupRows` rows of its file. */
export interface BulkGroup extends BulkRun {
  readonly group: number;
}

/** The declaration of a kind. @throws InputError when this version has none. */
export function jobOf({ jobs }: BulkDependencies, { kind }: BulkRun): AnyJob {
  const job = jobs.find((one) => one.kind === kind);
  if (job === undefined) throw new InputError(`this worker knows no bulk job "${kind}"; update it`);
  return job;
}

export function stagingOf({ sealed, frozenRows }: BulkDependencies, { staging }: BulkRun): BulkStaging {
  return new BulkStaging(sealed, frozenRows, staging);
}
