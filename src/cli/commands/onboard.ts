import { resolve } from "node:path";
import { type Command, Option } from "commander";
import { parseDuration } from "../../domain/duration.js";
import { ONBOARDING_MODES } from "../../domain/onboarding/customer.js";
import type { OnboardFlags } from "../onboarding/flags.js";
import { type AddCommand, NEW_LAKE, type Schedulable } from "./command.js";
import { between, duration, playbook } from "./option-values.js";

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
    new Option("--plain-output", "store the playbook's output unencrypted in the table"),
    new Option("--until <state>", "settled: also wait for customers and reviewers").choices(["settled"]),
  ];
}

function withOnboardOptions(command: Command): Command {
  command
    .requiredOption(
      "--customers <file>",
      "CSV or JSONL file with one customer per row; see docs/use/onboarding.md",
    )
    .requiredOption("--playbook <key>", "playbook key, optionally with a version: pb_1 or pb_1:v3", playbook)
    .addOption(
      new Option("--mode <mode>", "sync: wait for each decision; async: learn of it by webhook or polling")
        .choices([...ONBOARDING_MODES])
        .default("async"),
    )
    .option("--validate-only", "only validate the file; start nothing")
    .option("--continue-invalid", "run the valid rows of a file that also has invalid ones")
    .option(
      "--limit <n>",
      "only the first n rows; a higher limit later continues from there",
      between(1, 10_000_000),
    )
    .option("--restart", "abandon the batch's current run and start a new one")
    .option(...NEW_LAKE);
  return withBatchOptions(command);
}

export const onboardCommand: AddCommand = (program, run) => {
  const command = program
    .command("onboard")
    .description("run a playbook on every customer in a file; running it again posts nothing twice");
  withOnboardOptions(command).action(run(async () => (await import("../onboarding/run.js")).runOnboard));
};

export const scheduledOnboard: Schedulable = {
  words: ["onboard"],
  define: withOnboardOptions,
  async job(flags: OnboardFlags, cwd) {
    const { checkOnboardFlags, optionsOf } = await import("../onboarding/flags.js");
    checkOnboardFlags(flags);
    const { customers, mode, limit = null, continueInvalid } = flags;
    const { linksFile: _, ...options } = optionsOf({ cwd }, flags, mode, { limit, retry: false });
    return {
      kind: "onboard",
      customers: resolve(cwd, customers),
      playbook: flags.playbook,
      mode,
      continueInvalid: continueInvalid === true,
      options,
    };
  },
};
