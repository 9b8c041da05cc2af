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
import { followRun, type JobRun, reportRun } from "./run.js";

interface Job<Progress, Result, Input> {
  /** Reads and validates the job's files; the configuration is checked by now. @throws InputError */
  read?(configuration: JobConfig): Promise<Input>;
  /**
   * Plans the run with what the lake holds; lake and keys are checked by now. The service is asked for `pingedUser`
   * before anything starts; undefined skips that. @throws InputError
   */
  plan(
    preflight: Preflight,
    input: Input,
  ): Promise<{
    readonly pingedUser: string | undefined;
    readonly run: JobRun<Progress, Result>;
  }>;
}

export interface JobFlags {
  readonly detach?: boolean;
  readonly json?: boolean;
}

/**
 * Runs a job from its checks to its report, and releases what it took. Returns the exit code. It checks in the order of
 * docs/reference/commands.md, "Order of checks".
 */
export async function runJob<Progress, Result, Input>(
  terminal: Terminal,
  flags: JobFlags,
  job: Job<Progress, Result, Input>,
): Promise<number> {
  const configuration = readJobConfig(terminal);
  checkDetach(flags, configuration.settings.mode);
  const input = (await job.read?.(configuration)) as Input;
  const preflight = await runPreflight(terminal, configuration);
  const { run, pingedUser } = await job.plan(preflight, input);
  if (pingedUser !== undefined) await pingService(configuration.config.api, pingedUser);
  const left = await withInterruption(async (held) => {
    const session = await openJobSession(withTimeStamps(terminal), preflight, held);
    const left = await followRun(terminal, session, run, flags.detach);
    await afterHooks(terminal, session);
    return left;
  });
  // The worker has stopped by now, so the lake no longer changes.
  const { again } = run;
  const outcome = await run.outcome(left, preflight);
  return reportRun(terminal, left, outcome, { json: flags.json === true, ...(again && { again }) });
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
