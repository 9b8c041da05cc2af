import type { Command } from "commander";
import type { AddCommand } from "./command.js";

/** `nightledger check` */
export const checkCommand: AddCommand = (program: Command, terminal, end) => {
  program
    .command("check")
    .description(
      "look at configuration, lake, keys, service and Temporal as a job would; write nothing to the lake",
    )
    .option("--roster <file>", "check this roster too")
    .option("--json", "print an array of findings on standard output")
    .action(async (flags: { readonly roster?: string; readonly json?: boolean }) => {
      const { runCheck } = await import("../local/check.js");
      end(await runCheck(terminal, flags));
    });
};
