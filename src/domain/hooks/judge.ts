import { kindWords } from "../bulk/bulk-job.js";
import type { Hook, HookEvent } from "../hook-settings.js";
import type { RunStatus } from "../run.js";

/** Runs of a schedule are one job, as are those of the same file and options. */
interface HookJob {
  readonly kind: string;
  readonly schedule: string | null;
}

export interface JudgedRun extends HookJob {
  readonly outcome: RunStatus;
  /** The run before it, cancelled ones left out. */
  readonly previous: RunStatus | null;
}

export interface HookCall {
  readonly hook: Hook;
  readonly event: HookEvent;
}

/** docs/run/hooks.md, "Events". */
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

export function hooksOfLate(hooks: readonly Hook[], job: HookJob): HookCall[] {
  return hooks
    .filter((hook) => hook.on.includes("late") && isAbout(hook, job))
    .map((hook) => ({ hook, event: "late" }));
}

/**
 * No run of a schedule has ended for so long, or for so long after it was due.
 * @param endedAt of its last run; before the first, when it was created
 * @param dueAt first time due after that
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
