import type { Command } from "commander";
import { LEAST_RETAINED_DAYS } from "../../domain/tables/retention.js";
import type { Schedulable } from "./command.js";
import { between } from "./option-values.js";

export interface MaintainFlags {
  readonly retain?: number;
  readonly dryRun?: boolean;
  readonly schedule?: boolean;
  readonly json?: boolean;
}

export function withMaintainOptions(command: Command): Command {
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

export const scheduledMaintain: Schedulable = {
  words: ["maintain"],
  define: withMaintainOptions,
  job: ({ retain = LEAST_RETAINED_DAYS }: MaintainFlags) => ({
    kind: "maintain",
    options: { retainDays: retain },
  }),
};
