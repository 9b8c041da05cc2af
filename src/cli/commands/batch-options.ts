import { type Command, Option } from "commander";
import { parseDuration } from "../../domain/duration.js";
import { between, duration } from "./option-values.js";

/** Adds the options of every command that runs a batch. */
export function withBatchOptions(command: Command): Command {
  return command
    .option(
      "--sync-timeout <seconds>",
      "1 to 30: how long a decision may take in sync mode; default 30",
      between(1, 30),
    )
    .option("--window <n>", "customers that are worked on at once", between(1, 500), 100)
    .addOption(
      new Option("--deadline <time>", "how long customers and reviewers are waited for")
        .argParser(duration)
        .default(parseDuration("14d"), "14d"),
    )
    .option(
      "--circuit <n>",
      "equal errors in a row that pause the batch; 0 for never",
      between(0, 1_000_000),
      20,
    )
    .option("--continuations <file>", "append links for customers who must go on, encrypted, to this file")
    .option(
      "--continuation-command <command>",
      "run this for each such link, with one JSON line on its standard input",
    )
    .option("--plain-output", "write the playbook's output into the table in the clear")
    .addOption(
      new Option("--until <state>", "settled: wait for customers and reviewers too").choices(["settled"]),
    )
    .option("--detach", "with a cluster: return once the run is started")
    .option("--json", "print the summary as one JSON value on standard output");
}
