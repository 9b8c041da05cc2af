import { type Command, Option } from "commander";
import { withInterruption } from "../terminal/interruption.js";
import type { AddCommand } from "./command.js";
import { count } from "./option-values.js";

/** `nightledger sandbox` */
export const sandboxCommand: AddCommand = (program: Command, terminal) => {
  program
    .command("sandbox")
    .description("serve a strict, stateful stand-in of the service on this machine, to try things against")
    .option("--port <number>", "port on 127.0.0.1; 0 takes a free one", count, 8787)
    .addOption(
      new Option("--population <kind>", "what it serves")
        .choices(["synthetic", "volume", "berka"])
        .default("synthetic"),
    )
    .option("--users <n>", "users of a synthetic or volume population", count)
    .option("--links-per-user <n>", "bank links of each user", count)
    .option("--rows <n>", "transactions of each link", count)
    .option("--businesses <n>", "businesses with insights", count)
    .option("--investments <n>", "investment transactions of each link", count)
    .option("--seed <n>", "seed of the population", count)
    .option("--berka-dir <directory>", "folder of the Berka bank data (population berka)")
    .option("--latency <ms>", "milliseconds before each answer", count)
    .option("--faults <json>", "faults to begin with: JSON, or @file")
    .option("--api-key <key>", "secret key it accepts")
    .option("--roster-out <file>", "write a roster CSV of its users")
    .option("--no-record", "count requests, but do not keep them")
    .action(async ({ record, ...flags }: { record: boolean } & Record<string, unknown>) => {
      const { runSandbox } = await import("../../../sandbox/index.js");
      const options = { ...flags, ...(record ? {} : { recordRequests: 0 }) };
      await withInterruption(({ signal }) =>
        runSandbox(options, signal, ({ url, apiKey }) => {
          terminal.result(JSON.stringify({ url, api_key: apiKey }));
          terminal.say(
            "stand-in of the service; end it with Ctrl-C. Point NIGHTLEDGER_API_URL and NIGHTLEDGER_API_KEY at it.",
          );
        }),
      );
    });
};
