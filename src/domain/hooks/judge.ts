import { kindWords } from "../bulk/bulk-job.js";
import type { Hook, HookEvent } from "../hook-settings.js";
import type { RunStatus } from "../run.js";

/**
 * Which hooks hear of a run, and as what.
 *
 * The runs of one schedule are one job, and so are those that somebody starts for the same file and options. A hook hears
 * once of a run whose outcome it lists; of failed runs in a row only of the first, unless it says `every`. The first run
 * after a failed one that completed, with failures or without, is `recovered` for hooks that list that. A cancelled run
 * neither begins nor ends a row of failed ones.
 *
 * A schedule is late when none of its runs has ended for as long as the settings say, or so long after it was due where it
 * is due less often. A hook hears of that once, until a run of the schedule ends.
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
