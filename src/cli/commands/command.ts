import { type Command, Option } from "commander";
import type { ScheduledJob } from "../../intake/schedules/scheduled-job.js";
import type { Terminal } from "../terminal/terminal.js";

export type AddCommand = (program: Command, run: Run) => void;

/** Loaded when it is called; its result is the exit code. */
type Run = (load: () => Promise<Act>) => (...given: unknown[]) => Promise<void>;

// biome-ignore lint/suspicious/noConfusingVoidType: a command without an exit code returns nothing.
type Act = (terminal: Terminal, ...given: never) => Promise<number | void>;

export function runIn(terminal: Terminal, end: (code: number) => void): Run {
  return (load) =>
    async (...given) => {
      const act = await load();
      // commander's last argument is the command itself.
      const code = await act(terminal, ...(given.slice(0, -1) as never));
      if (typeof code === "number") end(code);
    };
}

export interface Schedulable {
  readonly words: readonly string[];
  define(command: Command): Command;
  /** What a schedule stores; paths are absolute. @throws InputError */
  job(flags: never, cwd: string): ScheduledJob | Promise<ScheduledJob>;
}

/** Flags of a command that are no part of its job. */
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
  "notifyCommand",
  "notifyWebhook",
]);

/** `main.ts` reads it, because every command's checks ask for it. */
export const NEW_LAKE = ["--new-lake", "begin a new lake: the one that was here is gone for good"] as const;

export function withTableOptions(command: Command, print = "print them"): Command {
  return command
    .option("--wide", "cut nothing to the width of the terminal")
    .option("--vertical", "show each column on a line of its own")
    .addOption(new Option("--csv", `${print} as CSV, with every digit`).conflicts("json"))
    .option("--json", `${print} as JSON`);
}
