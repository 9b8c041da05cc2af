import { InputError } from "../domain/input-error.js";
import type { SyncOptions } from "../domain/job.js";
import type { SyncSummary } from "../domain/sync-summary.js";
import { noTotals } from "../domain/sync-totals.js";
import { EXIT, exitCodeOfRun } from "./exit-code.js";
import { inspectSurroundings, openJobTemporal, reachService } from "./job-surroundings.js";
import { createProgressView } from "./progress-view.js";
import { Releases } from "./releases.js";
import { readRoster } from "./roster-file.js";
import { type RunEnd, watchRun } from "./run-watch.js";
import { type StartedSync, startSync } from "./start-sync.js";
import { summaryText } from "./summary-text.js";
import type { Terminal } from "./terminal.js";

export interface RunFlags {
  readonly detach: boolean;
  readonly json: boolean;
}

/** Runs or joins a sync and waits for its end; the exit code. Order of checks: DESIGN.md, Command line. */
export async function runSync(
  terminal: Terminal,
  rosterPath: string,
  options: SyncOptions,
  flags: RunFlags,
): Promise<number> {
  const surroundings = await inspectSurroundings(terminal);
  if (flags.detach && surroundings.settings.mode === "embedded") {
    throw new InputError(
      "--detach needs a Temporal cluster (TEMPORAL_ADDRESS): an embedded server ends with its command. Keep one running with `nightledger dev`.",
    );
  }
  const roster = await readRoster(rosterPath);
  for (const warning of roster.warnings) terminal.say(`warning: ${warning}`);
  await reachService(surroundings, roster.rows[0]?.fp_id ?? "");
  const releases = new Releases();
  const interrupt = interruption(releases);
  try {
    const { temporal } = await openJobTemporal(surroundings, terminal, releases, {
      signal: interrupt.signal,
    });
    const { scope, taskQueue, store } = surroundings;
    const started = await startSync(temporal.client, store, { scope, taskQueue, roster, options });
    terminal.say(started.joined ? `joined run ${started.runId}, which is going on` : `run ${started.runId}`);
    if (flags.detach) return report(terminal, flags, started, undefined);
    const view = createProgressView(terminal);
    releases.add(() => view.stop());
    const end = await watchRun(temporal, started.handle, {
      signal: interrupt.signal,
      onProgress: (progress) => view.show(progress),
      onSilence: () => view.silent(temporal.embedded),
    });
    view.stop();
    return report(terminal, flags, started, end);
  } finally {
    await releases.run();
  }
}

/** A signal that Ctrl-C and SIGTERM abort; a second one ends the process as usual. */
function interruption(releases: Releases): AbortController {
  const controller = new AbortController();
  const abort = () => controller.abort();
  process.once("SIGINT", abort);
  process.once("SIGTERM", abort);
  releases.add(() => {
    process.off("SIGINT", abort);
    process.off("SIGTERM", abort);
  });
  return controller;
}

function report(terminal: Terminal, flags: RunFlags, started: StartedSync, end: RunEnd | undefined): number {
  const { summary, unauthorized } = summaryOf(started, end);
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

function summaryOf(
  started: StartedSync,
  end: RunEnd | undefined,
): { summary: SyncSummary; unauthorized: boolean } {
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
  return { summary: { run_id: started.runId, status, ...noTotals(), duration_ms: 0 }, unauthorized: false };
}
