import { type Command, Option } from "commander";
import { parseDuration } from "../../domain/duration.js";
import { between, duration } from "./option-values.js";

/** Adds the options of every command that runs a batch; hidden where the command is there for other jobs first. */
export function withBatchOptions(
  command: Command,
  { hidden = false }: { readonly hidden?: boolean } = {},
): Command {
  for (const option of batchOptions()) command.addOption(option.hideHelp(hidden));
  return command
    .option("--detach", "with a cluster: return once the run is started")
    .option("--json", "print the summary as one JSON value on standard output");
}

function batchOptions(): Option[] {
  return [
    new Option(
      "--sync-timeout <seconds>",
      "1 to 30: how long a decision may take in sync mode; default 30",
    ).argParser(between(1, 30)),
    new Option("--window <n>", "customers that are worked on at once")
      .argParser(between(1, 500))
      .default(100),
    new Option("--deadline <time>", "how long customers and reviewers are waited for")
      .argParser(duration)
      .default(parseDuration("14d"), "14d"),
    new Option("--circuit <n>", "equal errors in a row that pause the batch; 0 for never")
      .argParser(between(0, 1_000_000))
      .default(20),
    new Option(
      "--continuations <file>",
      "append links for customers who must go on, encrypted, to this file",
    ),
    new Option(
      "--continuation-command <command>",
      "run this for each such link, with one JSON line on its standard input",
    ),
    new Option("--plain-output", "write the playbook's output into the table in the clear"),
    new Option("--until <state>", "settled: wait for customers and reviewers too").choices(["settled"]),
  ];
}
