import { deliveriesMade } from "../session/hook-deliveries.js";
import { type JobSession, openJobSession } from "../session/job-session.js";
import {
  checkDetach,
  type JobConfig,
  type Preflight,
  readJobConfig,
  runPreflight,
} from "../session/preflight.js";
import { pingService } from "../session/service.js";
import { withInterruption } from "../terminal/interruption.js";
import { type Terminal, withTimeStamps } from "../terminal/terminal.js";
import type { Job } from "./kind.js";
import { followRun, reportRun } from "./run.js";

export interface JobFlags {
  readonly detach?: boolean;
  readonly json?: boolean;
}

export interface RetryFlags extends JobFlags {
  readonly sendUnknown?: boolean;
}

/**
 * Runs a job from its checks to its report, and releases what it took. Returns the exit code. It checks in the order of
 * docs/reference/commands.md, "Order of checks".
 */
export async function runJob<Input>(
  terminal: Terminal,
  flags: JobFlags,
  {
    read,
    plan,
  }: {
    /** Reads and validates the job's files; the configuration is checked by now. @throws InputError */
    read?(configuration: JobConfig): Promise<Input>;
    /** Plans the run with what the lake holds; lake and keys are checked by now. @throws InputError */
    plan(preflight: Preflight, input: Input): Promise<Job>;
  },
): Promise<number> {
  const configuration = readJobConfig(terminal);
  checkDetach(flags, configuration.settings.mode);
  const input = (await read?.(configuration)) as Input;
  const preflight = await runPreflight(terminal, configuration);
  const job = await plan(preflight, input);
  if (job.pingedUser !== undefined) await pingService(configuration.config.api, job.pingedUser);
  const run = await withInterruption(async (held) => {
    const session = await openJobSession(withTimeStamps(terminal), preflight, held);
    const run = await followRun(terminal, session, job, flags.detach);
    await afterHooks(terminal, session);
    return run;
  });
  // The worker has stopped by now, so the lake no longer changes.
  return reportRun(terminal, preflight, job, run, flags.json === true);
}

/** What fails here does not fail the run. */
async function afterHooks(
  terminal: Terminal,
  { preflight: { config, taskQueue }, temporal, signal }: JobSession,
): Promise<void> {
  if (!temporal.embedded || config.hooks.hooks.length === 0 || signal.aborted) return;
  const late = await deliveriesMade(temporal.client, taskQueue, signal).catch(() => []);
  for (const { event, about, reason } of late) {
    const why = reason === null ? "" : ` (${reason})`;
    terminal.say(
      `a hook was not told yet that ${about} is ${event}${why}; while a worker runs, it is tried for a day`,
    );
  }
}
