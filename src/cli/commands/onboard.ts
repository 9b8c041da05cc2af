import { type Command, InvalidArgumentError, Option } from "commander";
import { ONBOARDING_MODES, type OnboardingMode } from "../../domain/onboarding/customer.js";
import { parseDuration } from "../../domain/onboarding/timing.js";
import { parsePlaybookKey } from "../../domain/service/playbook-key.js";
import type { AddCommand } from "../main.js";

/** Flags that every command that runs a batch has. */
export interface BatchFlags {
  readonly syncTimeout?: number;
  readonly window: number;
  readonly deadline: number;
  readonly circuit: number;
  readonly continuations?: string;
  readonly continuationCommand?: string;
  readonly plainOutput?: boolean;
  readonly until?: "settled";
  readonly detach?: boolean;
  readonly json?: boolean;
}

export interface OnboardFlags extends BatchFlags {
  readonly customers: string;
  readonly playbook: string;
  readonly mode: OnboardingMode;
  readonly validateOnly?: boolean;
  readonly continueInvalid?: boolean;
  readonly limit?: number;
}

function playbook(text: string): string {
  if (parsePlaybookKey(text) === undefined)
    throw new InvalidArgumentError("accepted: <playbook_key> or <playbook_key>:v<n>.");
  return text;
}

function duration(text: string): number {
  const ms = parseDuration(text);
  if (ms === undefined)
    throw new InvalidArgumentError("accepted: a number and a unit, as 14d, 36h, 90m or 30s; at most 3650d.");
  return ms;
}

function between(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < least || value > most)
      throw new InvalidArgumentError(`accepted: a whole number from ${least} to ${most}.`);
    return value;
  };
}

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

/** `nightledger onboard` */
export const onboardCommand: AddCommand = (program: Command, terminal, end) => {
  const command = program
    .command("onboard")
    .description("run a playbook on every customer of a file; the same command again posts nothing twice")
    .requiredOption("--customers <file>", "CSV or JSONL, a customer a row; see docs/onboarding.md")
    .requiredOption(
      "--playbook <key>",
      "playbook key, with a version tag if you like: pb_1 or pb_1:v3",
      playbook,
    )
    .addOption(
      new Option("--mode <mode>", "sync: wait for each decision; async: be told by webhook, or look")
        .choices([...ONBOARDING_MODES])
        .default("async"),
    )
    .option("--validate-only", "judge the file and start nothing")
    .option("--continue-invalid", "run the other rows of a file that has wrong ones")
    .option("--limit <n>", "only the first n rows; a higher limit later goes on", between(1, 10_000_000));
  withBatchOptions(command).action(async (flags: OnboardFlags) => {
    const { runOnboard } = await import("../onboarding/run.js");
    end(await runOnboard(terminal, flags));
  });
};
