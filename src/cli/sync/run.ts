import { ServiceError } from "@temporalio/client";
import type { SyncOptions } from "../../domain/sync/job.js";
import type { SyncSummary } from "../../domain/sync/sync-summary.js";
import { noTotals, type SyncTotals } from "../../domain/sync/sync-totals.js";
import type { SyncProgress } from "../../workflows/sync/messages.js";
import type { SyncResult } from "../../workflows/sync/sync.js";
import {
  checkDetach,
  inspectSurroundings,
  type JobSurroundings,
  openJobTemporal,
  reachService,
  readJobConfig,
} from "../session/preflight.js";
import { createProgressView } from "../session/progress-view.js";
import { type RunEnd, watchRun } from "../session/run-watch.js";
import type { TemporalSession } from "../session/temporal-session.js";
import { EXIT, exitCodeOfRun } from "../terminal/exit-code.js";
import { interruption } from "../terminal/interruption.js";
import { Releases } from "../terminal/releases.js";
import type { Terminal } from "../terminal/terminal.js";
import { type Roster, readRoster } from "./roster-file.js";
import { type StartedSync, startSync } from "./start.js";
import { SYNC_PROGRESS, summaryText } from "./text.js";

export interface RunFlags {
  readonly detach: boolean;
  readonly json: boolean;
}

/**
 * Runs or joins a sync and waits for its end; the exit code. It checks in the order of
 * docs/commands.md, "Order of checks".
 */
export async function runSync(
  terminal: Terminal,
  rosterPath: string,
  options: SyncOptions,
  flags: RunFlags,
): Promise<number> {
  const configuration = readJobConfig(terminal);
  checkDetach(flags, configuration.settings.mode);
  const roster = await readRoster(rosterPath);
  for (const warning of roster.warnings) terminal.say(`warning: ${warning}`);
  const surroundings = await inspectSurroundings(terminal, configuration);
  await reachService(surroundings, roster.rows[0]?.fp_id ?? "");
  const releases = new Releases();
  const interrupt = interruption(releases);
  let followed: FollowedSync;
  try {
    const { temporal } = await openJobTemporal(surroundings, terminal, releases, {
      signal: interrupt.signal,
    });
    const job = { surroundings, temporal, roster, options };
    followed = await followSync(terminal, job, flags.detach ? undefined : interrupt.signal);
    // A cluster's run does not end with its command: Ctrl-C only detaches.
    if (!temporal.embedded && followed.end?.kind === "interrupted")
      followed = { ...followed, end: undefined };
  } finally {
    await releases.run();
  }
  return report(terminal, flags, followed);
}

/** A sync that may start: everything before it was found right. */
export interface ReadyJob {
  readonly surroundings: JobSurroundings;
  readonly temporal: TemporalSession;
  readonly roster: Roster;
  readonly options: SyncOptions;
}

/** A run as its command leaves it. */
export interface FollowedSync {
  readonly started: StartedSync;
  /** Undefined where the run goes on without the command. */
  readonly end: RunEnd<SyncResult> | undefined;
  /** What was seen done when it was left before its end. */
  readonly sofar: SyncTotals;
  readonly watchedMs: number;
}

/** Starts or joins a run and shows its progress to its end; without a signal it only starts it. */
export async function followSync(
  terminal: Terminal,
  { surroundings, temporal, roster, options }: ReadyJob,
  signal: AbortSignal | undefined,
): Promise<FollowedSync> {
  const since = Date.now();
  const { scope, taskQueue, store } = surroundings;
  const started = await startSync(temporal.client, store, { scope, taskQueue, roster, options });
  terminal.say(started.joined ? `joined run ${started.runId}, which is going on` : `run ${started.runId}`);
  if (temporal.embedded) await nameOtherRuns(terminal, temporal, started, taskQueue);
  let sofar = noTotals();
  if (signal === undefined) return { started, end: undefined, sofar, watchedMs: 0 };
  const view = createProgressView(terminal, SYNC_PROGRESS);
  try {
    const end = await watchRun<SyncProgress, SyncResult>(temporal, started.handle, {
      signal,
      onProgress: (progress) => {
        sofar = progress.totals;
        view.show(progress);
      },
      onSilence: () => view.silent(temporal.embedded),
      onTrouble: (words) => view.say(words),
    });
    return { started, end, sofar, watchedMs: Date.now() - since };
  } finally {
    view.stop();
  }
}

/** Runs that an earlier command left in HOME go on while this one lives; not being able to tell harms none. */
async function nameOtherRuns(
  terminal: Terminal,
  { client }: TemporalSession,
  { handle }: StartedSync,
  queue: string,
): Promise<void> {
  const query = `ExecutionStatus = "Running" AND WorkflowType = "sync" AND TaskQueue = "${queue}"`;
  try {
    for await (const { workflowId, memo } of client.workflow.list({ query })) {
      if (workflowId === handle.workflowId) continue;
      terminal.say(
        `run ${memo?.runId} of another job was left unfinished; it goes on while this command runs`,
      );
    }
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
  }
}

function report(terminal: Terminal, flags: RunFlags, followed: FollowedSync): number {
  const { started, end } = followed;
  const { summary, unauthorized } = summaryOf(followed);
  if (flags.json) terminal.result(JSON.stringify(summary));
  else terminal.result(summaryText(summary));
  if (end === undefined) {
    terminal.say(`run ${started.runId} goes on without this command; the same command joins it`);
  } else if (end.kind === "interrupted") {
    terminal.say(`interrupted: run ${started.runId} stands as it is, and the same command goes on with it`);
  } else if (end.kind === "failed") terminal.say(`run ${started.runId} failed: ${end.message}`);
  if (unauthorized) terminal.say("the service refused the credentials (exit 4); check NIGHTLEDGER_API_KEY");
  return end?.kind === "interrupted" ? EXIT.failures : exitCodeOfRun(summary, unauthorized);
}

/** What is known of a run as its command leaves it. */
export function summaryOf({ started, end, sofar, watchedMs }: FollowedSync): {
  summary: SyncSummary;
  unauthorized: boolean;
} {
  if (end?.kind === "completed") {
    const { unauthorized, ...summary } = end.result;
    return { summary, unauthorized };
  }
  const status =
    end === undefined
      ? "running"
      : end.kind === "interrupted"
        ? "paused"
        : end.kind === "cancelled"
          ? "cancelled"
          : "failed";
  return {
    summary: { run_id: started.runId, status, ...sofar, duration_ms: watchedMs },
    unauthorized: false,
  };
}
