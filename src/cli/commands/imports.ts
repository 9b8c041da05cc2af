import type { Command } from "commander";
import type { JobFlags } from "../session/run-job.js";
import type { AddCommand } from "./command.js";
import { between } from "./option-values.js";

/** `nightledger imports` */
export const importsCommand: AddCommand = (program: Command, terminal, end) => {
  const imports = program.command("imports").description("look after imports that began");
  imports
    .command("verify")
    .description("list imported rows that no sync has brought back; exit 1 where there are any")
    .option("--days <n>", "days after its import by which a row must be back", between(0, 3_650), 3)
    .option("--json", "print the rows as one JSON value on standard output")
    .action(async (flags: { readonly days: number; readonly json?: boolean }) => {
      const { verifyImports } = await import("../bulk/verify-imports.js");
      end(await verifyImports(terminal, flags));
    });
  imports
    .command("continue")
    .description("bring the import that began and did not end to its end; its file is not needed")
    .option("--restart", "also where another machine or NIGHTLEDGER_HOME began it; give up its run here")
    .option("--detach", "with a cluster: return once the run is started")
    .option("--json", "print the summary as one JSON value on standard output")
    .action(async (flags: JobFlags & { readonly restart?: boolean }) => {
      const { continueBulk } = await import("../bulk/steer.js");
      const { importJob } = await import("../../jobs/import.js");
      end(await continueBulk(terminal, importJob, flags));
    });
};
