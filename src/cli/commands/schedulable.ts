import type { Command } from "commander";
import type { ScheduledJob } from "../../intake/schedules/scheduled-job.js";

/** A command whose job a schedule can run. */
export interface Schedulable {
  /** The words of the command, such as `export cip`. */
  readonly words: readonly string[];
  /** Adds its arguments and options to a command. */
  define(command: Command): Command;
  /** Makes what a schedule keeps of it, with absolute paths. @throws InputError for flags that are wrong. */
  job(flags: never, cwd: string): ScheduledJob | Promise<ScheduledJob>;
}

/** Flags about how one command behaves, which say nothing of its job. */
export const OF_ONE_COMMAND = new Set([
  "restart",
  "detach",
  "json",
  "failOn",
  "validateOnly",
  "until",
  "continuations",
  "continuationCommand",
  "notifyCommand",
  "notifyWebhook",
]);
