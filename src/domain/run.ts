import { HOUR, instantText } from "./duration.js";

/** `sync-20261121T021500Z-3f9c2a`: kind, start in UTC, six random hex digits. Names a run's staging and rows. */
export function runId(kind: string, startedAt: Date, random: string): string {
  const instant = instantText(startedAt).replaceAll(/[-:]/g, "");
  return `${kind}-${instant}-${random.slice(0, 6)}`;
}

/** Whether a text is the id of a run of this kind. */
export function isRunId(kind: string, text: string): boolean {
  return text.startsWith(`${kind}-`) && /^\d{8}T\d{6}Z-[0-9a-f]{6}$/.test(text.slice(kind.length + 1));
}

/** When a run was requested, to the second, by its id: an ISO instant. */
export function startOfRun(runId: string): string {
  const [, day = "", time = ""] = /-(\d{8})T(\d{6})Z-/.exec(runId) ?? [];
  const [date, clock] = [day.replace(/(....)(..)(..)/, "$1-$2-$3"), time.replace(/(..)(..)(..)/, "$1:$2:$3")];
  return `${date}T${clock}Z`;
}

/** What a schedule fired a run for. */
export interface Firing {
  readonly schedule: string;
  /** ISO instant at which it was due, the run's logical date, however late it began. */
  readonly dueAt: string;
}

/** A schedule makes up for what became due while Temporal was off, if it is not older than this. */
export const CATCH_UP_MS = 6 * HOUR;

export interface NewRun {
  readonly runId: string;
  /** ISO instant at which it was requested. */
  readonly startedAt: string;
  /** Left out of a run that nobody scheduled. */
  readonly firing?: Firing;
}

export type RunStatus =
  | "completed"
  | "completed_with_failures"
  | "failed"
  | "cancelled"
  | "running"
  | "paused";

const QUEUE = "nightledger-";

/** Workers of another service or lake never share a queue. */
export function taskQueue(scope: string): string {
  return `${QUEUE}${scope}`;
}

/** The scope that a task queue is of. */
export function scopeOfQueue(queue: string): string {
  return queue.slice(QUEUE.length);
}

/** Temporal search attributes of jobs' runs, each a keyword without anything personal. */
export const RUN_ATTRIBUTES = {
  kind: "NightledgerKind",
  status: "NightledgerStatus",
  schedule: "NightledgerSchedule",
} as const;
