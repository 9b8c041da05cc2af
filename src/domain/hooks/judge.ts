import { kindWords } from "../bulk/bulk-job.js";
import type { Hook, HookEvent } from "../hook-settings.js";
import type { RunStatus } from "../run.js";

/**
 * Which hooks hear of a run, and as what.
 *
 * Every run that ends has an outcome, and belongs to a job: the runs of one schedule are one job, and so are the runs that
 * somebody starts for the same file with the same options. A hook hears of an outcome that it lists, with one exception: of
 * failed runs in a row, only the first is told, unless the hook says `every`. The first good run after a failed one, with
 * failures in it or without, is `recovered` for hooks that list it; for others it is its outcome. A cancelled run is
 * neither good nor bad: it ends no row of failed runs and begins none. A hook hears of a run once.
 *
 * A schedule is late when none of its runs has ended for as long as the settings say. One that is due less often than
 * that is late so long after it was due. A hook hears of that once, until a run of the schedule ends.
 */

/** Which job something is about. */
export interface HookJob {
  readonly kind: string;
  readonly schedule: string | null;
}

export interface JudgedRun extends HookJob {
  readonly outcome: RunStatus;
  /** Outcomes of earlier runs of its job, the newest first. */
  readonly before: readonly RunStatus[];
}

export interface CalledHook {
  readonly hook: Hook;
  readonly event: HookEvent;
}

/** Gives the hooks that hear of a run. Pure. */
export function hooksOfRun(hooks: readonly Hook[], run: JudgedRun): CalledHook[] {
  const { outcome } = run;
  const isAfterFailure = run.before.find((status) => status !== "cancelled") === "failed";
  const isGood = outcome === "completed" || outcome === "completed_with_failures";
  return hooks.flatMap((hook) => {
    if (!isAbout(hook, run)) return [];
    if (isGood && isAfterFailure && hook.on.includes("recovered")) return [{ hook, event: "recovered" }];
    if (outcome === "failed" && isAfterFailure && hook.every !== true) return [];
    const event = hook.on.find((one) => one === outcome);
    return event === undefined ? [] : [{ hook, event }];
  });
}

/** Gives the hooks that hear of a late schedule. Pure. */
export function hooksOfLate(hooks: readonly Hook[], job: HookJob): CalledHook[] {
  return hooks
    .filter((hook) => hook.on.includes("late") && isAbout(hook, job))
    .map((hook) => ({ hook, event: "late" }));
}

/**
 * Whether a schedule is late; instants are epoch milliseconds. Pure.
 * @param endedAt when its last run ended; before the first, when it was created
 * @param dueAt when it was first due after that; null where it was not yet
 */
export function isLate(endedAt: number, dueAt: number | null, lateMs: number, now: number): boolean {
  if (dueAt === null) return false;
  return now - (dueAt - endedAt > lateMs ? dueAt : endedAt) > lateMs;
}

function isAbout({ jobs }: Hook, { kind, schedule }: HookJob): boolean {
  const words = kindWords(kind);
  const names = [
    kind,
    words,
    ...(schedule === null ? [] : [schedule, `${kind} ${schedule}`, `${words} ${schedule}`]),
  ];
  return jobs === undefined || jobs.some((job) => names.includes(job.replace(/^export /, "")));
}
