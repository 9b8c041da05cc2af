import type { AddCommand } from "./command.js";

export const checkCommand: AddCommand = (program, terminal, end) => {
  program
    .command("check")
    .description(
      "check configuration, lake, keys, service and Temporal the way a job would, without writing to the lake",
    )
    .option("--roster <file>", "also check this roster")
    .option("--json", "print the findings as a JSON array")
    .action(async (flags: { readonly roster?: string; readonly json?: boolean }) => {
      const { runCheck } = await import("../local/check.js");
      end(await runCheck(terminal, flags));
    });
};
