import { InputError } from "../../domain/failures.js";
import { isScheduleName } from "../../domain/schedules/scheduled-run.js";
import { timingOf } from "../../domain/schedules/timing.js";
import { checkScheduled } from "../../intake/schedules/start-scheduled.js";
import { readJobConfig } from "../session/preflight.js";
import type { Terminal } from "../terminal/terminal.js";
import { type CreateFlags, createJob } from "./create-job.js";
import { parseScheduledCommand } from "./scheduled-command.js";

/** Creates or changes a schedule for a job's command line. Returns the exit code. @throws InputError */
export async function createSchedule(
  terminal: Terminal,
  name: string,
  command: readonly string[],
  flags: CreateFlags,
): Promise<number> {
  if (!isScheduleName(name)) {
    throw new InputError(
      `${JSON.stringify(name)} can't be the name of a schedule. Nothing was changed. Give letters, digits, dots, dashes and underscores, at most 63.`,
    );
  }
  const timing = timingOf(flags);
  const job = await parseScheduledCommand(terminal, command);
  readJobConfig(terminal);
  await checkScheduled(job);
  return createJob(terminal, { name, job, command, timing }, flags);
}
