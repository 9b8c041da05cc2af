import type { ShownRun } from "../../runs/show.js";
import type { RunFigures } from "../../runs/text.js";
import type { UnfinishedRun } from "../../runs/unfinished-runs.js";
import type { actionForm } from "../actions.js";

/** A run as its page shows it: all that `runs show --json` prints, and what that says in words. */
export interface RunModel extends ShownRun {
  /** How far it is, and what it needs to go on; null where it has ended. */
  readonly open: string | null;
  readonly figures: RunFigures | null;
  readonly waiting: readonly string[];
  readonly next: readonly string[];
  /** Examples of findings that are bank links. */
  readonly links: readonly string[];
  /** Its buttons, each with what it acts on. */
  readonly actions: readonly (readonly [name: Parameters<typeof actionForm>[1], subject: string])[];
  readonly offline: string | null;
}

/** A run that only its staging shows is continued by the command of its kind, which its words name. */
export function actionsOf(
  { run_id, kind, job_id, status, reason, schedule }: ShownRun,
  open: UnfinishedRun | undefined,
  next: readonly string[],
): RunModel["actions"] {
  if (open === undefined) {
    if (reason === "not_begun") return schedule === null ? [] : [["schedule-trigger", schedule]];
    return next.length === 0 || reason === "staging_lost" ? [] : [["run-retry", run_id]];
  }
  if (status === "lost" || open.home !== undefined || run_id === job_id) return [];
  if (status === "interrupted") return [["run-continue", run_id]];
  const isPausedBatch = kind === "onboard" && status === "paused" && job_id !== null;
  return [isPausedBatch ? ["batch-resume", job_id] : ["run-continue", run_id], ["run-cancel", run_id]];
}
