import { type Command, Option } from "commander";
import { parseDuration } from "../../domain/duration.js";
import { between, duration } from "./option-values.js";

/** Adds the options of every command that runs a batch. */
export function withBatchOptions(command: Command): Command {
  for (const option of batchOptions()) command.addOption(option);
  return command
    .option("--detach", "return as soon as the run has started (needs a Temporal cluster)")
    .option("--json", "print the summary as JSON");
}

function batchOptions(): Option[] {
  return [
    new Option(
      "--sync-timeout <seconds>",
      "how long to wait for a decision in sync mode, 1 to 30 (default: 30)",
    ).argParser(between(1, 30)),
    new Option("--window <n>", "customers to process concurrently").argParser(between(1, 500)).default(100),
    new Option("--deadline <time>", "how long to wait for customers and reviewers")
      .argParser(duration)
      .default(parseDuration("14d"), "14d"),
    new Option("--circuit <n>", "consecutive identical errors that pause the batch; 0 never pauses it")
      .argParser(between(0, 1_000_000))
      .default(20),
    new Option(
      "--continuations <file>",
      "append the links of customers who must continue to this file, encrypted",
    ),
    new Option(
      "--continuation-command <command>",
      "run this command for each such link, with one JSON line on its standard input",
    ),
    new Option("--plain-output", "store the playbook's output unencrypted in the table"),
    new Option("--until <state>", "settled: also wait for customers and reviewers").choices(["settled"]),
  ];
}
