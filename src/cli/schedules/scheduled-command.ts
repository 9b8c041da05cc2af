import { type Command, CommanderError } from "commander";
import { InputError } from "../../domain/failures.js";
import type { ScheduledJob } from "../../intake/schedules/scheduled-job.js";
import { scheduledJobs } from "../commands/bulk-jobs.js";
import { OF_ONE_COMMAND, type Schedulable } from "../commands/command.js";
import { scheduledMaintain } from "../commands/maintain.js";
import { scheduledSync } from "../commands/sync.js";
import { CliCommand } from "../terminal/cli-command.js";
import type { Terminal } from "../terminal/terminal.js";

const SCHEDULABLE: readonly Schedulable[] = [scheduledSync, ...scheduledJobs, scheduledMaintain];

/** @throws InputError */
export async function parseScheduledCommand(
  { cwd }: Pick<Terminal, "cwd">,
  words: readonly string[],
): Promise<ScheduledJob> {
  const known = SCHEDULABLE.map((one) => one.words.join(" ")).join(", ");
  const found = SCHEDULABLE.find((one) => one.words.every((word, at) => words[at] === word));
  if (found === undefined) {
    const given = words.length === 0 ? "no job is given" : `${words[0]} is not a job that a schedule can run`;
    throw new InputError(
      `${given}. Nothing was changed. After the two dashes give one of ${known}, with its options, as in: -- sync --roster users.csv`,
    );
  }
  const name = found.words.join(" ");
  let job: ScheduledJob | undefined;
  const silent = { writeOut: () => undefined, writeErr: () => undefined };
  const command = new CliCommand(name).exitOverride().configureOutput(silent).helpOption(false);
  found.define(command).action(async (flags: Readonly<Record<string, unknown>>) => {
    const foreign = Object.keys(flags).find((flag) => OF_ONE_COMMAND.has(flag) && flags[flag] !== undefined);
    if (foreign !== undefined)
      throw new InputError(
        `${optionOf(command, foreign)} has no meaning in a schedule. Nothing was changed. Leave it out.`,
      );
    job = await found.job(flags as never, cwd);
  });
  try {
    await command.parseAsync(words.slice(found.words.length), { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    throw new InputError(`${name}: ${error.message.replace(/^error: /, "")}. Nothing was changed.`);
  }
  if (job === undefined) throw new Error(`${name} was not read`);
  return job;
}

function optionOf(command: Command, attribute: string): string {
  return command.options.find((option) => option.attributeName() === attribute)?.long ?? attribute;
}
