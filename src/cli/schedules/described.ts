import type { Client, ScheduleDescription } from "@temporalio/client";
import { instantText } from "../../domain/duration.js";
import { NotThereError } from "../../domain/failures.js";
import type { RunStatus } from "../../domain/run.js";
import {
  type FiringMemo,
  isScheduleName,
  scheduleId,
  schedulePrefix,
} from "../../domain/schedules/scheduled-run.js";
import { timingWords } from "../../domain/schedules/timing.js";
import { commandLine } from "../../domain/words/texts.js";
import { describeSchedule, inputOf, listedSchedules } from "../../intake/schedules/schedules.js";
import { describeWorkflow } from "../../temporal/running-workflows.js";
import { type JobSession, openJobSession } from "../session/job-session.js";
import { type Preflight, runPreflight } from "../session/preflight.js";
import { withInterruption } from "../terminal/interruption.js";
import type { Terminal } from "../terminal/terminal.js";

const MOST_FIRINGS = 5;

interface ShownFiring {
  /** ISO instant. */
  readonly due_at: string;
  /** Null until a worker takes it up, and once Temporal has forgotten it. */
  readonly run_id: string | null;
  readonly status: RunStatus | "waiting" | "forgotten";
}

export interface ShownSchedule {
  readonly name: string;
  readonly command: string;
  readonly when: string;
  readonly paused: boolean;
  /** ISO instants; none while it is paused. */
  readonly next: readonly string[];
  /** The newest first. */
  readonly last: readonly ShownFiring[];
  readonly skipped_overlaps: number;
  readonly missed: number;
}

/** @throws NotThereError */
export async function describedSchedule(client: Client, scope: string, name: string): Promise<ShownSchedule> {
  const described = isScheduleName(name)
    ? await describeSchedule(client, scheduleId(scope, name))
    : undefined;
  if (described === undefined) throw noSchedule(name);
  const { state, info } = described;
  const { command, timing } = inputOf(described);
  const recent = info.recentActions.slice(-MOST_FIRINGS).reverse();
  return {
    name,
    command: command
      ? commandLine(command)
      : `made without the deployment's keys, so refused; nightledger schedule delete ${name}`,
    when: timing ? timingWords(timing) : "unknown",
    paused: state.paused,
    next: state.paused ? [] : info.nextActionTimes.slice(0, MOST_FIRINGS).map(instantText),
    last: await Promise.all(recent.map((firing) => shownFiring(client, firing))),
    skipped_overlaps: info.numActionsSkippedOverlap,
    missed: info.numActionsMissedCatchupWindow,
  };
}

export async function shownSchedules(client: Client, scope: string): Promise<ShownSchedule[]> {
  const prefix = schedulePrefix(scope);
  const shown: ShownSchedule[] = [];
  for (const { scheduleId } of await listedSchedules(client, prefix))
    shown.push(await describedSchedule(client, scope, scheduleId.slice(prefix.length)));
  return shown;
}

export function noSchedule(name: string): NotThereError {
  return new NotThereError(
    `there is no schedule ${name}. Nothing was changed. nightledger schedule list shows those that exist.`,
  );
}

async function shownFiring(
  client: Client,
  { scheduledAt, action: { workflow } }: ScheduleDescription["info"]["recentActions"][number],
): Promise<ShownFiring> {
  const due_at = instantText(scheduledAt);
  const described = await describeWorkflow(client, workflow.workflowId);
  const { runId = null, status = null } = (described?.memo ?? {}) as Partial<FiringMemo>;
  return { due_at, run_id: runId, status: described === undefined ? "forgotten" : (status ?? "waiting") };
}

/** Without a worker in this process. */
export async function withSchedules(
  terminal: Terminal,
  work: (session: JobSession) => Promise<void>,
  preflight?: Preflight,
): Promise<void> {
  const checked = preflight ?? (await runPreflight(terminal));
  await withInterruption(async (interruption) => {
    await work(await openJobSession(terminal, checked, interruption, { worker: false }));
  });
}
