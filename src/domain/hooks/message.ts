import { kindWords } from "../bulk/bulk-job.js";
import type { HookEvent } from "../hook-settings.js";
import type { Run } from "../run.js";
import { againWords } from "../run.js";

export interface HookAbout {
  /** For `late`, the schedule's last ended run. */
  readonly runId: string | null;
  readonly schedule: string | null;
  /** For `late`: no run has ended since. */
  readonly since?: string;
}

/** No secret, nothing personal. */
export interface HookDelivery extends HookAbout {
  readonly hook: string;
  readonly event: HookEvent;
}

/** The run, or the late schedule. */
export function aboutOf({ event, runId, schedule }: HookDelivery): string {
  const run = runId ?? "never";
  return event === "late" ? `${schedule}@${run}` : run;
}

export function hookWorkflowId(scope: string, delivery: HookDelivery): string {
  return `hooks/${scope}/${aboutOf(delivery)}/${delivery.event}/${delivery.hook}`;
}

/** docs/run/hooks.md, "What a hook gets". @param run as `runs show --json` prints it */
export function hookBody(
  { event, schedule, since }: HookDelivery,
  run: Run | undefined,
  board: string | undefined,
): object {
  const isLate = event === "late" || run === undefined;
  const page = isLate ? "schedules" : `runs/${encodeURIComponent(run.run_id)}`;
  const link = board === undefined ? null : `${board}/${page}`;
  const news = isLate
    ? `schedule ${schedule} is late: none of its runs has ended since ${since}. nightledger status says what runs.`
    : runWords(event, run);
  const words = `Nightledger: ${news}${link === null ? "" : ` ${link}`}`;
  return {
    event,
    schedule,
    // Slack, Mattermost and Rocket.Chat show this, Discord the next.
    text: words.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;"),
    content: words,
    board: link,
    run: run ?? null,
  };
}

function runWords(event: HookEvent, run: Run): string {
  const job = [kindWords(run.kind), run.schedule].filter(Boolean).join(" ");
  const outcome = run.status.replaceAll("_", " ");
  const state = event === "recovered" ? `is well again (${outcome})` : outcome;
  const why = run.message === null ? "" : `: ${run.message.replace(/\.$/, "")}`;
  const next = againWords(run, run) ?? run.run_id;
  return `${job} ${state}${why}. ${next}`.replaceAll(/\s*\n\s*/g, " ");
}
