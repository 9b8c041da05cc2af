import { kindWords } from "../bulk/bulk-job.js";
import type { Hook, HookEvent } from "../hook-settings.js";
import type { RunStatus } from "../run.js";

/** Which job something is about: the runs of a schedule are one, and so are those of the same file and options. */
interface HookJob {
  readonly kind: string;
  readonly schedule: string | null;
}

export interface JudgedRun extends HookJob {
  readonly outcome: RunStatus;
  /** How the run of its job before it ended, cancelled ones left out; null for none. */
  readonly previous: RunStatus | null;
}

export interface HookCall {
  readonly hook: Hook;
  readonly event: HookEvent;
}

/** Gives the hooks that hear of a run, and as what (docs/run/hooks.md, "Events"). Pure. */
export function hooksOfRun(hooks: readonly Hook[], run: JudgedRun): HookCall[] {
  const { outcome } = run;
  const isAfterFailure = run.previous === "failed";
  const isGood = outcome === "completed" || outcome === "completed_with_failures";
  return hooks.flatMap((hook) => {
    if (!isAbout(hook, run)) return [];
    if (isGood && isAfterFailure && hook.on.includes("recovered")) return [{ hook, event: "recovered" }];
    if (outcome === "failed" && isAfterFailure && !hook.every) return [];
    return hook.on.filter((event) => event === outcome).map((event) => ({ hook, event }));
  });
}

/** Gives the hooks that hear of a late schedule. Pure. */
export function hooksOfLate(hooks: readonly Hook[], job: HookJob): HookCall[] {
  return hooks
    .filter((hook) => hook.on.includes("late") && isAbout(hook, job))
    .map((hook) => ({ hook, event: "late" }));
}

/**
 * Whether a schedule is late: none of its runs has ended for so long, or, where it is due less often, for so long after it
 * was due. Instants are epoch milliseconds. Pure.
 * @param endedAt when its last run ended; before the first, when it was created
 * @param dueAt when it was first due after that; null where it was not yet
 */
export function isLate(endedAt: number, dueAt: number | null, lateMs: number, now: number): boolean {
  if (dueAt === null) return false;
  return now - (dueAt - endedAt > lateMs ? dueAt : endedAt) > lateMs;
}

function isAbout({ jobs }: Hook, { kind, schedule }: HookJob): boolean {
  const kinds = [kind, kindWords(kind)];
  const names = schedule === null ? kinds : [...kinds, schedule, ...kinds.map((one) => `${one} ${schedule}`)];
  return jobs === undefined || jobs.some((job) => names.includes(job.replace(/^export /, "")));
}
