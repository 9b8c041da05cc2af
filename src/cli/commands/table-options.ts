import { type Command, Option } from "commander";

/** Adds how a command shows its table. */
export function withTableOptions(command: Command, print = "print them"): Command {
  return command
    .option("--wide", "cut nothing to the width of the terminal")
    .option("--vertical", "show each column on a line of its own")
    .addOption(new Option("--csv", `${print} as CSV, with every digit`).conflicts("json"))
    .option("--json", `${print} as JSON`);
}
