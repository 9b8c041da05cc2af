import type { ScheduleTiming } from "../../domain/schedules/timing.js";
import type { ScheduledJob } from "./scheduled-job.js";

/** What a schedule keeps: its workflow takes the first four, and people are shown the rest. */
export interface ScheduleInput {
  readonly schedule: string;
  readonly scope: string;
  /** First word of the ids of its runs. */
  readonly runKind: string;
  readonly job: ScheduledJob;
  /** The job's command line, as it was given. */
  readonly command: readonly string[];
  readonly timing: ScheduleTiming;
}
