import { Option } from "commander";
import { parseDuration } from "../../domain/duration.js";
import type { StatusFlags } from "../runs/status.js";
import type { AddCommand } from "./command.js";
import { duration } from "./option-values.js";

export const statusCommand: AddCommand = (program, terminal, end) => {
  program
    .command("status")
    .description(
      "show what ran last, what failed and what to do about it, what is still open, and what runs next",
    )
    .addOption(
      new Option("--stale <time>", "list bank links with no commit for longer than this")
        .argParser(duration)
        .default(parseDuration("3d"), "3d"),
    )
    .option("--json", "print it as JSON")
    .action(async (flags: StatusFlags) => {
      const { showStatus } = await import("../runs/status.js");
      end(await showStatus(terminal, flags));
    });
};
