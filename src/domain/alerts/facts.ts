import type { EndReason, RunStatus } from "../run.js";

/** A run that is in the table `runs`; instants are epoch milliseconds. */
export interface EndedRun extends GoingRun, EndReason {
  readonly dueAt: number | null;
  readonly finishedAt: number;
  readonly status: RunStatus;
}

/** A run that Temporal has and that has not ended. */
export interface GoingRun {
  readonly runId: string;
  readonly kind: string;
  readonly schedule: string | null;
  readonly startedAt: number;
}

/** A firing of a schedule that Temporal remembers. */
export interface KnownFiring {
  readonly dueAt: number;
  /** Null until a worker takes it up. */
  readonly runId: string | null;
  readonly status: RunStatus | null;
}

/** A schedule that is not paused. */
export interface ScheduleFacts {
  readonly name: string;
  readonly jitterMs: number;
  /** The newest time at which it was due, some minutes ago at least; null for none. */
  readonly dueAt: number | null;
  readonly firings: readonly KnownFiring[];
}

export interface AlertFacts {
  /** When the first sync on record was asked for; null where there is none. */
  readonly firstSyncAt: number | null;
  /** The newest sync that completed, with or without failures. */
  readonly newestSync: { readonly runId: string; readonly finishedAt: number } | null;
  /** Bank links that failed when they were last read, and the newest run that read one of them. */
  readonly failedLinks: { readonly count: number; readonly runId: string | null };
  readonly openQuarantine: number;
  /** What failed in the newest runs because its answer was about something else, and the run with most of it. */
  readonly otherSubjects: { readonly count: number; readonly runId: string | null };
  readonly ended: readonly EndedRun[];
  readonly going: readonly GoingRun[];
  readonly schedules: readonly ScheduleFacts[];
}
