import type { EndReason, RunStatus } from "./run.js";

/** A run as a command found it: in the table `runs`, in Temporal, or by what it left in the staging area. */
export interface SeenRun extends EndReason {
  readonly run_id: string;
  readonly kind: string;
  /** Id of the job; for onboarding that of the batch; null where only the run's end will tell. */
  readonly job_id: string | null;
  /**
   * `interrupted`: it has not ended, and nothing works on it now. `lost`: only its staging is left, and Temporal does not
   * know it, because it was terminated or Temporal's database is another one.
   */
  readonly status: RunStatus | "interrupted" | "lost";
  readonly schedule: string | null;
  /** ISO instant at which its schedule was due. */
  readonly scheduled_at: string | null;
  /** ISO instant. */
  readonly started_at: string;
  /** ISO instant; null where it has not ended. */
  readonly finished_at: string | null;
  /** Counts by column of `runs`, without those that its kind does not have. */
  readonly counts: Readonly<Record<string, number>>;
  /** What was asked for; null where only the run's end will tell. */
  readonly options: Readonly<Record<string, unknown>> | null;
}

/** Things that ended in the same way in a run, and what to do about them. */
export interface Finding {
  readonly status: string;
  readonly reason: string;
  readonly count: number;
  readonly action: string | null;
  /** The first few: bank links, users, lines of the file. */
  readonly examples: readonly string[];
}

export const SEEN_STATUSES: readonly SeenRun["status"][] = [
  "running",
  "paused",
  "interrupted",
  "lost",
  "completed",
  "completed_with_failures",
  "failed",
  "cancelled",
];

export interface RunFilter {
  readonly kind?: string | undefined;
  readonly status?: string | undefined;
  readonly schedule?: string | undefined;
  /** ISO instant: only runs that were requested then or later. */
  readonly since?: string | undefined;
  /** Id of a run that has ended: only those that a list has after it. */
  readonly after?: string | undefined;
}

/** Whether a run that has not ended is asked for; a list has these before all others. */
export function isAsked(run: SeenRun, { kind, status, schedule, since, after }: RunFilter): boolean {
  return (
    after === undefined &&
    (kind === undefined || run.kind === kind) &&
    (status === undefined || run.status === status) &&
    (schedule === undefined || run.schedule === schedule) &&
    (since === undefined || Date.parse(run.started_at) >= Date.parse(since))
  );
}
