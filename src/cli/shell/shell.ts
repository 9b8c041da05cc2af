import type { RunStatus } from "../../domain/run.js";
import { deliveriesEnded, goingDeliveries, whyLate } from "../session/alert-deliveries.js";
import { type JobSession, openJobSession } from "../session/job-session.js";
import {
  checkDetach,
  type JobConfig,
  type Preflight,
  readJobConfig,
  runPreflight,
} from "../session/preflight.js";
import { pingService } from "../session/service.js";
import { exitCodeOf, saidError } from "../terminal/exit-code.js";
import { withInterruption } from "../terminal/interruption.js";
import { type Terminal, withTimeStamps } from "../terminal/terminal.js";
import { followRun, type JobRun, type LeftRun, type RunOutcome, reportRun } from "./run.js";
import type { RunEnd } from "./watch.js";

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
    /** What the command runs after it, unless it ends with the status `failed`. */
    readonly next?: NextRun | undefined;
  }>;
}

/** Starts a run that follows another one in the same command, and watches it. */
export type NextRun = (session: JobSession) => Promise<{
  readonly left: LeftRun<unknown, unknown>;
  /** What is known of both. */
  outcome(first: RunOutcome, preflight: Preflight): Promise<RunOutcome>;
}>;

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
  // A job that reads nothing has a plan without an input.
  const input = (await job.read?.(configuration)) as Input;
  const preflight = await runPreflight(terminal, configuration);
  const { run, pingedUser, next } = await job.plan(preflight, input);
  if (pingedUser !== undefined) await pingService(configuration.config.api, pingedUser);
  const { left, own, followed } = await withInterruption(async (held) => {
    const session = await openJobSession(withTimeStamps(terminal), preflight, held);
    const left = await followRun(terminal, session, run, flags.detach);
    // Judged before what follows, which may take hours.
    const own = next && (await run.outcome(left, preflight));
    const followed = next && isWhole(left.end) ? await attempted(next(session)) : undefined;
    await afterAlerts(terminal, session);
    return { left, own, followed };
  });
  // The worker has stopped by now, so the lake no longer changes.
  const { again } = run;
  const json = flags.json === true;
  const first = own ?? (await run.outcome(left, preflight));
  const told = { json, ...(again && { again }) };
  if (followed?.error === undefined) {
    const outcome = (await followed?.done.outcome(first, preflight)) ?? first;
    return reportRun(terminal, followed?.done.left ?? left, outcome, told);
  }
  const said = saidError(followed.error);
  reportRun(terminal, left, { ...first, summary: { ...first.summary, ...said.json } }, told);
  terminal.say(said.words);
  return exitCodeOf(followed.error);
}

/** Keeps the error of a run that follows another one: what became of the first one is said all the same. */
function attempted<T extends object>(following: Promise<T>) {
  return following.then(
    (done) => ({ done, error: undefined }),
    (error: unknown) => ({ error: error ?? new Error("unknown") }),
  );
}

/** Whether a run went through all that it was asked for. */
function isWhole(end: RunEnd<unknown> | undefined): boolean {
  if (end?.kind !== "completed") return false;
  return (end.result as { readonly status?: RunStatus }).status !== "failed";
}

/**
 * Waits until alerts that the run has raised are delivered, because an embedded worker ends with its command. A failure
 * here does not fail the run: the next check delivers them.
 */
async function afterAlerts(
  terminal: Terminal,
  { preflight: { config, taskQueue }, temporal, signal }: JobSession,
): Promise<void> {
  if (!temporal.embedded || config.alerts.settings === undefined || signal.aborted) return;
  const { client } = temporal;
  const why = await goingDeliveries(client, taskQueue)
    .then(async (ids) => ((await deliveriesEnded(client, ids, signal)) ? undefined : whyLate(client, ids)))
    .catch(() => "");
  if (why !== undefined)
    terminal.say(`an alert is not delivered yet${why}; while a worker runs, delivery is retried for a day`);
}
