import type { Command } from "commander";
import { LEAST_RETAINED_DAYS } from "../../domain/tables/retention.js";
import { type AddCommand, examples } from "./command.js";
import { between } from "./option-values.js";

interface MaintainFlags {
  readonly retain?: number;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

function withMaintainOptions(command: Command): Command {
  return command
    .option(
      "--retain <days>",
      "keep removed files, and what ended runs staged, for so many days; at least 7",
      between(LEAST_RETAINED_DAYS, 3_650, "a whole number of days"),
    )
    .option("--dry-run", "say what would be done, and change nothing")
    .option("--json", "print what was done as JSON");
}

export const maintainCommand: AddCommand = (program, terminal) => {
  const command = program
    .command("maintain")
    .description(
      "merge small files, shorten logs, and delete what nobody needs any more; runs may go on meanwhile",
    )
    .addHelpText("after", examples("nightledger maintain --dry-run"));
  withMaintainOptions(command).action(async (flags: MaintainFlags) => {
    const { runMaintain } = await import("../lake/maintain.js");
    await runMaintain(terminal, flags);
  });
};
