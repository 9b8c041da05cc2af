import type { Command } from "commander";
import { Option } from "commander";
import { parseDuration } from "../../domain/duration.js";
import type { StatusFlags } from "../runs/status.js";
import type { AddCommand } from "./command.js";
import { duration } from "./option-values.js";

/** `nightledger status` */
export const statusCommand: AddCommand = (program: Command, terminal, end) => {
  program
    .command("status")
    .description("say what ran last, what failed and what to do, what is open, and what runs next")
    .addOption(
      new Option("--stale <time>", "name bank links that nothing was committed of for longer")
        .argParser(duration)
        .default(parseDuration("3d"), "3d"),
    )
    .option("--json", "print it as one JSON value on standard output")
    .action(async (flags: StatusFlags) => {
      const { showStatus } = await import("../runs/status.js");
      end(await showStatus(terminal, flags));
    });
};
