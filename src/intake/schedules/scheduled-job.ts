import type { OnboardingMode } from "../../domain/onboarding/customer.js";
import type { ScheduleTiming } from "../../domain/schedules/timing.js";
import type { SyncOptions } from "../../domain/sync/job.js";
import type { AskedBulk } from "../bulk/asked-job.js";
import type { OnboardingOptions } from "../onboarding/start.js";

/** Its files are read at each start, where the worker is. */
interface ScheduledSync {
  readonly kind: "sync";
  /** Absolute path. */
  readonly roster: string;
  readonly options: SyncOptions;
}

interface ScheduledBatch {
  readonly kind: "onboard";
  /** Absolute path. */
  readonly customers: string;
  readonly playbook: string;
  readonly mode: OnboardingMode;
  readonly continueInvalid: boolean;
  readonly options: Omit<OnboardingOptions, "linksFile">;
}

interface ScheduledUpkeep {
  readonly kind: "maintain";
  readonly options: { readonly retainDays: number };
}

export type ScheduledJob = ScheduledSync | ScheduledBatch | AskedBulk | ScheduledUpkeep;

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

/** First word of the run ids. */
export function runKindOf(job: ScheduledJob): string {
  return job.kind === "bulk" ? job.job : job.kind;
}
