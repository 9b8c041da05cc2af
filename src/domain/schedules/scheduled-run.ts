import type { Firing, NewRun, RunStatus } from "../run.js";

/** The run of a firing: one that it started, or the job's run that was still running. */
export interface StartedFiring {
  readonly workflowId: string;
  /** First execution of the run's workflow. */
  readonly execution: string;
  readonly runId: string;
}

/** What the workflow of a firing tells of it, in its memo, while it runs and after. */
export interface FiringMemo extends Firing {
  /** The run that has the status; null until it is known. */
  readonly runId: string | null;
  readonly status: RunStatus | null;
}

export interface FiredRun extends NewRun {
  readonly firing: Firing;
}

/** Name of the schedule that keeps the lake small. */
export const UPKEEP = "maintain";

/** `schedule/<scope>/<name>` */
export function scheduleId(scope: string, name: string): string {
  return `${schedulePrefix(scope)}${name}`;
}

/** What the ids of a lake's schedules begin with. */
export function schedulePrefix(scope: string): string {
  return `schedule/${scope}/`;
}

export function isScheduleName(text: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9_.-]{0,62}$/.test(text);
}
