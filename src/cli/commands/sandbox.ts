import { Option } from "commander";
import type { AddCommand } from "./command.js";
import { between, count, portNumber } from "./option-values.js";

export const sandboxCommand: AddCommand = (program, run) => {
  const sandbox = program
    .command("sandbox")
    .description("run a stand-in for the service on this machine, to try everything against")
    .option("--port <number>", "port on 127.0.0.1; 0 picks a free one", portNumber, 8787)
    .addOption(
      new Option("--population <kind>", "what it serves")
        .choices(["synthetic", "volume", "berka"])
        .default("synthetic"),
    )
    .option("--users <n>", "number of users (synthetic: 3, volume: 20)", count)
    .option("--links-per-user <n>", "bank links per user (synthetic: 2, volume: 1)", count)
    .option(
      "--rows <n>",
      "transactions per bank link (synthetic: 120, volume: 50,000)",
      between(0, 99_999_999),
    )
    .option("--businesses <n>", "number of businesses", count)
    .option("--business-onboardings <n>", "onboardings of each business at the start", count)
    .option("--investments <n>", "investment transactions per bank link", count)
    .option("--seed <n>", "seed of the population; the same seed gives the same data", count)
    .option("--berka-dir <directory>", "directory of the Berka bank data, for --population berka")
    .option("--latency <ms>", "delay before each answer, in milliseconds", count)
    .option("--faults <json>", "faults to inject, as JSON or @file")
    .option("--api-key <key>", "secret key to accept (default: sk_test_sandbox)")
    .option("--roster-out <file>", "write a roster of its users to this CSV file")
    .option(
      "--behaves <names>",
      "where it differs from the contract: contract, real (all), or names separated by commas (default: contract)",
    )
    .option("--no-record", "count requests without keeping them")
    .action(run(async () => (await import("../local/sandbox.js")).serveSandbox));
  sandbox
    .command("trigger")
    .argument("[event]", "kind of event, such as service.user.bank_link_updated; left out: they are listed")
    .description("have a running sandbox make an event happen, which sends its webhook")
    .option("--user <id>", "about this user or business; left out: the first one that suits")
    .option("--link <id>", "about this bank link; left out: the first connected one")
    .option("--url <address>", "address of the sandbox (default: NIGHTLEDGER_API_URL)")
    .option("--list", "list the events and what each does")
    .action(run(async () => (await import("../local/sandbox.js")).triggerEvent));
};
