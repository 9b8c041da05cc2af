import { kindWords } from "../bulk/bulk-job.js";
import type { HookEvent } from "../hook-settings.js";
import { againWords } from "../run.js";
import type { SeenRun } from "../seen-run.js";

/** One delivery, as its workflow has it: no secret, nothing personal. */
export interface HookDelivery {
  /** Names the hook by its target. */
  readonly hook: string;
  readonly event: HookEvent;
  /** For `late` the last run of the schedule that ended; null for none. */
  readonly runId: string | null;
  readonly schedule: string | null;
  /** For `late`: the ISO instant since which no run has ended. */
  readonly since?: string;
}

/** `hooks/<scope>/<run, or late schedule with its last run>/<event>/<hook>`: a second start of it delivers nothing. */
export function hookWorkflowId(scope: string, { hook, event, runId, schedule }: HookDelivery): string {
  const about = event === "late" ? `${schedule}@${runId ?? "never"}` : runId;
  return `hooks/${scope}/${about}/${event}/${hook}`;
}

/** What a hook is told (docs/run/hooks.md, "What a hook gets"). @param run the run as `runs show --json` prints it */
export function hookBody(
  { event, schedule, since }: HookDelivery,
  run: SeenRun | undefined,
  board: string | undefined,
): object {
  const link = board === undefined ? null : boardLink(event, run, board);
  const said = event === "late" ? lateWords(schedule, since) : run && runWords(event, run);
  const words = [`Nightledger: ${said}`, ...(link === null ? [] : [link])].join(" ");
  return {
    event,
    schedule,
    // Slack, Mattermost and Rocket.Chat show this one, and Discord the next.
    text: words.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;"),
    content: words,
    board: link,
    run: run ?? null,
  };
}

function boardLink(event: HookEvent, run: SeenRun | undefined, board: string): string {
  if (event === "late" || run === undefined) return `${board}/schedules`;
  return `${board}/runs/${encodeURIComponent(run.run_id)}`;
}

function lateWords(schedule: string | null, since = ""): string {
  return `schedule ${schedule} is late: none of its runs has ended since ${since}. nightledger status says what runs.`;
}

function runWords(event: HookEvent, run: SeenRun): string {
  const job = [kindWords(run.kind), run.schedule].filter(Boolean).join(" ");
  const outcome = run.status.replaceAll("_", " ");
  const state = event === "recovered" ? `is well again (${outcome})` : outcome;
  const why = run.message === null ? "" : `: ${run.message.replace(/\.$/, "")}`;
  const next = againWords(run, run) ?? run.run_id;
  return `${job} ${state}${why}. ${next}`.replaceAll(/\s*\n\s*/g, " ");
}
