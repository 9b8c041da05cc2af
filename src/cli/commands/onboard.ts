import { resolve } from "node:path";
import { type Command, Option } from "commander";
import { ONBOARDING_MODES } from "../../domain/onboarding/customer.js";
import type { OnboardFlags } from "../onboarding/flags.js";
import { withBatchOptions } from "./batch-options.js";
import { type AddCommand, NEW_LAKE, type Schedulable } from "./command.js";
import { between, playbook } from "./option-values.js";

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
    const { sink: _, ...options } = optionsOf({ cwd }, flags, mode, { limit, retry: false });
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
