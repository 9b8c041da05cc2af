import type { ScheduleTiming } from "../../domain/schedules/timing.js";
import type { SyncOptions } from "../../domain/sync/job.js";
import type { BulkRequest } from "../bulk/bulk-request.js";
import type { BatchRequest } from "../onboarding/start.js";

/** Its files are read at each start, where the worker is. */
export interface ScheduledSync {
  readonly kind: "sync";
  /** Absolute path. */
  readonly roster: string;
  readonly options: SyncOptions;
}

export interface ScheduledUpkeep {
  readonly kind: "maintain";
  readonly options: { readonly retainDays: number };
}

/** Its kind is the first word of the run ids. */
export type ScheduledJob = ScheduledSync | BatchRequest | BulkRequest | ScheduledUpkeep;

/** Its workflow takes the first five fields, and people see the rest. */
export interface ScheduleInput {
  readonly schedule: string;
  readonly scope: string;
  readonly lake: string;
  /** First word of the ids of its runs. */
  readonly runKind: string;
  readonly job: ScheduledJob;
  readonly command: readonly string[];
  readonly timing: ScheduleTiming;
}
