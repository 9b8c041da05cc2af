import { HOUR, instantText } from "./duration.js";
import { FAILURE_TYPES, mayNotCall, NO_SPACE, type Unauthorized } from "./failures.js";
import type { Labelled } from "./words/texts.js";

/** `sync-20261121T021500Z-3f9c2a`: kind, start in UTC, six random hex digits. Names a run's staging and rows. */
export function runId(kind: string, startedAt: Date, random: string): string {
  const instant = instantText(startedAt).replaceAll(/[-:]/g, "");
  return `${kind}-${instant}-${random.slice(0, 6)}`;
}

export function isRunId(kind: string, text: string): boolean {
  return text.startsWith(`${kind}-`) && /^\d{8}T\d{6}Z-[0-9a-f]{6}$/.test(text.slice(kind.length + 1));
}

/** When a run was requested, to the second, by its id: an ISO instant. */
export function startOfRun(runId: string): string {
  const [, day = "", time = ""] = /-(\d{8})T(\d{6})Z-/.exec(runId) ?? [];
  const [date, clock] = [day.replace(/(....)(..)(..)/, "$1-$2-$3"), time.replace(/(..)(..)(..)/, "$1:$2:$3")];
  return `${date}T${clock}Z`;
}

export interface Firing {
  readonly schedule: string;
  /** ISO instant at which it was due, the run's logical date, however late it began. */
  readonly dueAt: string;
  /** Until it is due again, where that is known. */
  readonly everyMs?: number;
}

/** A schedule makes up for what became due while Temporal was off, if it is not older than this. */
export const CATCH_UP_MS = 6 * HOUR;

export interface NewRun {
  readonly runId: string;
  /** ISO instant of the request. */
  readonly startedAt: string;
  readonly firing?: Firing;
  /** The command line that asked for it, without texts that may be secret; left out where nobody typed one. */
  readonly command?: string | undefined;
}

export type RunStatus =
  | "completed"
  | "completed_with_failures"
  | "failed"
  | "cancelled"
  | "running"
  | "paused";

/** Why a run ended otherwise than `completed`: a code and words (docs/run/errors.md, "Reasons of a run"). */
export interface EndReason {
  readonly reason: RunReason | null;
  readonly message: string | null;
}

type RunReason =
  | "not_begun"
  | "cancelled"
  | "credentials_refused"
  | "lake_full"
  | "staging_lost"
  | "step_failed"
  | "some_failed";

export const NO_REASON: EndReason = { reason: null, message: null };

/** How a run ended, or how far it is: what the `--json` of every kind's command begins with. */
export interface RunSummary extends EndReason {
  readonly run_id: string;
  readonly status: RunStatus;
  readonly duration_ms: number;
  /** The lake's root when the run ended (docs/use/tables.md, "Root"); null before that, or if it could not be computed. */
  readonly lake_root: string | null;
  /** Tells a refused key from every other failure; no summary shows it. */
  readonly unauthorized?: Unauthorized;
}

/** A run as its row has it, or Temporal, or what it left in the staging area. */
export interface Run extends EndReason {
  readonly run_id: string;
  readonly kind: string;
  /** Of onboarding, the batch; null where only the run's end will tell. */
  readonly job_id: string | null;
  /**
   * `interrupted`: it has not ended, and nothing works on it now. `lost`: only its staging is left, and Temporal does not
   * know it, because it was terminated or Temporal's database is another one.
   */
  readonly status: RunStatus | "interrupted" | "lost";
  readonly schedule: string | null;
  /** ISO instant at which its schedule was due. */
  readonly scheduled_at: string | null;
  readonly started_at: string;
  readonly finished_at: string | null;
  /** By column of `runs`. */
  readonly counts: Readonly<Record<string, number>>;
  /** Null where only the run's end will tell. */
  readonly options: Readonly<Record<string, unknown>> | null;
  /** Of one that Temporal has: its workflow's progress; null where no worker answers. */
  readonly progress?: unknown;
  /** Of a job with an effect that nothing works on: whether this Temporal began it. */
  readonly home?: "this" | "another" | "unknown";
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

export const RUN_STATUSES: readonly Run["status"][] = [
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
  readonly run_id?: string;
  readonly kind?: string | undefined;
  readonly status?: string | undefined;
  readonly schedule?: string | undefined;
  /** ISO instant: only runs that were requested then or later. */
  readonly since?: string | undefined;
  /** Id of a run that has ended: only those that a list has after it. */
  readonly after?: string | undefined;
}

/** Whether a filter lets a run through that has not ended; a list has these before all others. */
export function matches(run: Run, { kind, status, schedule, since, after }: RunFilter): boolean {
  return (
    after === undefined &&
    (kind === undefined || run.kind === kind) &&
    (status === undefined || run.status === status) &&
    (schedule === undefined || run.schedule === schedule) &&
    (since === undefined || Date.parse(run.started_at) >= Date.parse(since))
  );
}

interface EndFacts {
  readonly status: RunStatus;
  readonly unauthorized?: Unauthorized;
  /** Why a step of the whole run failed: the error's class and its words. */
  readonly step?: string | undefined;
  /** How many failed of what, as `{"bank link% failed": 3}`; `%` is the plural. */
  readonly failed?: Readonly<Record<string, number>>;
  /** Of these, as far as they are known. */
  readonly reasons?: readonly string[];
}

const STEP_REASONS: readonly (readonly [string, RunReason])[] = [
  [`${FAILURE_TYPES.auth}: `, "credentials_refused"],
  [`${FAILURE_TYPES.transient}: ${NO_SPACE}`, "lake_full"],
  [`${FAILURE_TYPES.stagingLost}: `, "staging_lost"],
];

/** Why a run ended as it did. */
export function endReason({ status, unauthorized, step, failed, reasons = [] }: EndFacts): EndReason {
  if (status === "cancelled")
    return { reason: "cancelled", message: "it was cancelled; what it had finished is kept" };
  if (unauthorized) {
    const why = unauthorized === true ? "the service refused the API key" : mayNotCall(unauthorized);
    const message = `${why}; what it had finished is kept`;
    return { reason: "credentials_refused", message };
  }
  if (step !== undefined) {
    const known = STEP_REASONS.find(([words]) => step.startsWith(words))?.[1];
    return { reason: known ?? "step_failed", message: known ? step.slice(step.indexOf(": ") + 2) : step };
  }
  if (status !== "completed_with_failures") return NO_REASON;
  const counts = Object.entries(failed ?? {}).filter(([, count]) => count > 0);
  const words = counts
    .map(([name, count]) => `${count} ${name.replace("%", count === 1 ? "" : "s")}`)
    .join(", ");
  const often = mostFrequent(reasons);
  return { reason: "some_failed", message: often === undefined ? words : `${words} (most often: ${often})` };
}

/** Whether a run has not gone through all that it was asked for, so that a retry does the whole again. */
export function isCutShort({ reason }: EndReason): boolean {
  return reason !== null && reason !== "some_failed";
}

export function whyCutShort(why: EndReason): Labelled {
  return ["why", isCutShort(why) ? `${why.reason}: ${why.message}` : null];
}

const FIRST: Readonly<Partial<Record<RunReason, string>>> = {
  credentials_refused: "check the key (nightledger check), then do the whole run again",
  lake_full: "make room, then do the whole run again",
  step_failed: "fix that, then do the whole run again",
  cancelled: "to do the whole run again",
};

/** Says what to do about a run that was cut short; undefined for any other. */
export function againWords(
  why: EndReason,
  { run_id, schedule }: { readonly run_id: string; readonly schedule?: string | null },
): string | undefined {
  if (why.reason === "not_begun") return `fix that, then: nightledger schedule trigger ${schedule}`;
  if (why.reason === "staging_lost")
    return "find out what deletes the lake's staging area, then give the same command again";
  const first = why.reason && FIRST[why.reason];
  return first ? `${first}: nightledger runs retry ${run_id}` : undefined;
}

function mostFrequent(texts: readonly string[]): string | undefined {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  const [first] = [...counts].sort(([, a], [, b]) => b - a);
  return first?.[0] || undefined;
}

/** Names the staging of what a run has left to do, which waits for a retry. */
export function leftOf(runId: string): string {
  return `${runId}-failed`;
}

/** The run whose staging {@link leftOf} names so; undefined for other names. */
export function runOfLeft(name: string): string | undefined {
  return /^(.+)-failed$/.exec(name)?.[1];
}

/** The global of the workflow isolate that is there where the worker has a version. */
export const VERSIONED = "NIGHTLEDGER_VERSIONED";

const QUEUE = "nightledger-";

/** Temporal gives the workflow task of a killed worker to another one after this; part of every start. */
export const TASK_TIMEOUT = "5s";

/** Workers of another service or lake never share a queue. */
export function taskQueue(scope: string): string {
  return `${QUEUE}${scope}`;
}

export function scopeOfQueue(queue: string): string {
  return queue.slice(QUEUE.length);
}

/** Temporal search attributes of jobs' runs, each a keyword without anything personal. */
export const RUN_ATTRIBUTES = {
  kind: "NightledgerKind",
  status: "NightledgerStatus",
  schedule: "NightledgerSchedule",
} as const;
