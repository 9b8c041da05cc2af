import type { Firing, NewRun, RunStatus } from "../run.js";

/** A run that a firing started, or found running. */
export interface StartedFiring {
  readonly workflowId: string;
  readonly execution: string;
  readonly runId: string;
}

/** The memo of a firing's workflow. */
export interface FiringMemo extends Firing {
  /** Null until it is known. */
  readonly runId: string | null;
  readonly status: RunStatus | null;
}

export interface FiredRun extends NewRun {
  readonly firing: Firing;
}

/** The schedule that keeps the lake small. */
export const UPKEEP = "maintain";

/** `schedule/<scope>/<name>` */
export function scheduleId(scope: string, name: string): string {
  return `${schedulePrefix(scope)}${name}`;
}

export function schedulePrefix(scope: string): string {
  return `schedule/${scope}/`;
}

export function isScheduleName(text: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9_.-]{0,62}$/.test(text);
}
