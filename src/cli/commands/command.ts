import type { Command } from "commander";
import type { ScheduledJob } from "../../intake/schedules/scheduled-job.js";
import type { Terminal } from "../terminal/terminal.js";

/** Adds one command to the program; `end` gives its exit code. */
export type AddCommand = (program: Command, terminal: Terminal, end: (code: number) => void) => void;

export interface Schedulable {
  readonly words: readonly string[];
  define(command: Command): Command;
  /** What a schedule keeps of it; paths are made absolute. @throws InputError for flags that are wrong. */
  job(flags: never, cwd: string): ScheduledJob | Promise<ScheduledJob>;
}

/** Flags that say how one command behaves, and nothing of its job. */
export const OF_ONE_COMMAND = new Set([
  "restart",
  "newLake",
  "detach",
  "dryRun",
  "schedule",
  "json",
  "failOn",
  "validateOnly",
  "until",
  "continuations",
  "continuationCommand",
  "notifyCommand",
  "notifyWebhook",
]);

/** The flag of commands that may begin a lake; `main.ts` reads it, because every command's checks ask for it. */
export const NEW_LAKE = ["--new-lake", "begin a new lake: the one that was here is gone for good"] as const;

/** Command lines to copy, for the end of a command's help; each is also in docs/reference/commands.md. */
export function examples(...lines: readonly string[]): string {
  return `\n${lines.length === 1 ? "Example" : "Examples"}:\n${lines.map((line) => `  ${line}`).join("\n")}`;
}
