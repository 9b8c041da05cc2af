import type { Command } from "commander";
import { InputError } from "../../domain/failures.js";
import { LEAST_RETAINED_DAYS } from "../../domain/tables/retention.js";
import { type AddCommand, examples, type Schedulable } from "./command.js";
import { between } from "./option-values.js";

interface MaintainFlags {
  readonly retain?: number;
  readonly dryRun?: boolean;
  readonly schedule?: boolean;
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
    .option("--schedule", "do it every Sunday at 04:30 UTC, by a schedule of the name maintain")
    .option("--json", "print what was done as JSON");
}

export const maintainCommand: AddCommand = (program, terminal, end) => {
  const command = program
    .command("maintain")
    .description(
      "merge small files, shorten logs, and delete what nobody needs any more; runs may go on meanwhile",
    )
    .addHelpText("after", examples("nightledger maintain --dry-run"));
  withMaintainOptions(command).action(async (flags: MaintainFlags) => {
    if (flags.schedule) {
      if (flags.dryRun) throw new InputError("--schedule changes something: leave out --dry-run.");
      const { scheduleUpkeep } = await import("../schedules/upkeep.js");
      return end(await scheduleUpkeep(terminal, flags));
    }
    const { runMaintain } = await import("../lake/maintain.js");
    await runMaintain(terminal, flags);
  });
};

export const scheduledMaintain: Schedulable = {
  words: ["maintain"],
  define: withMaintainOptions,
  job: ({ retain = LEAST_RETAINED_DAYS }: MaintainFlags) => ({
    kind: "maintain",
    options: { retainDays: retain },
  }),
};
