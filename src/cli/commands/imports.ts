import type { JobFlags } from "../session/run-job.js";
import type { AddCommand } from "./command.js";
import { between } from "./option-values.js";

export const importsCommand: AddCommand = (program, terminal, end) => {
  const imports = program.command("imports").description("check on earlier imports");
  imports
    .command("verify")
    .description("list imported rows that no sync has brought back; exit 1 if there are any")
    .option("--days <n>", "days within which an imported row must come back", between(0, 3_650), 3)
    .option("--json", "print the rows as JSON")
    .action(async (flags: { readonly days: number; readonly json?: boolean }) => {
      const { verifyImports } = await import("../bulk/verify-imports.js");
      end(await verifyImports(terminal, flags));
    });
  imports
    .command("continue")
    .description("finish the import that was started but has not ended; its file is not needed")
    .option(
      "--restart",
      "continue it even if another machine or NIGHTLEDGER_HOME started it; abandon its run here",
    )
    .option("--detach", "return as soon as the run has started (needs a Temporal cluster)")
    .option("--json", "print the summary as JSON")
    .action(async (flags: JobFlags & { readonly restart?: boolean }) => {
      const { continueBulk } = await import("../bulk/steer.js");
      const { importJob } = await import("../../jobs/import.js");
      end(await continueBulk(terminal, importJob, flags));
    });
};
