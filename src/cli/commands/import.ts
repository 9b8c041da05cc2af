import { resolve } from "node:path";
import type { Command } from "commander";
import type { BulkOptions } from "../../domain/bulk/bulk-job.js";
import type { BulkFlags } from "../bulk/run.js";
import type { JobFlags } from "../session/run-job.js";
import { withBulkOptions } from "./bulk-options.js";
import type { AddCommand, Schedulable } from "./command.js";
import { between } from "./option-values.js";

interface ImportFlags extends BulkFlags {
  readonly transactions: string;
  readonly chunk: number;
  readonly sendUnknown?: boolean;
}

function withImportOptions(command: Command): Command {
  return withBulkOptions(
    command
      .requiredOption(
        "--transactions <file>",
        "CSV or JSONL file: link_id, account_id, amount, date, optionally description, transaction_id, transaction_type",
      )
      .option("--chunk <rows>", "rows per request, at most 5,000", between(1, 5_000), 500)
      .option(
        "--send-unknown",
        "resend rows whose fate an earlier run could not determine; check first with `imports verify`",
      ),
  );
}

function optionsOf({ chunk, sendUnknown }: ImportFlags): BulkOptions {
  return { chunk, ...(sendUnknown && { send_unknown: true }) };
}

export const importCommand: AddCommand = (program, terminal, end) => {
  const command = program
    .command("import")
    .description(
      "import transactions from a file into bank links, each exactly once; the same file again posts nothing",
    );
  withImportOptions(command).action(async (flags: ImportFlags) => {
    const { runBulk } = await import("../bulk/run.js");
    const { importJob } = await import("../../jobs/import.js");
    end(await runBulk(terminal, importJob, flags.transactions, optionsOf(flags), flags));
  });
};

export const scheduledImport: Schedulable = {
  words: ["import"],
  define: withImportOptions,
  job: (flags: ImportFlags, cwd) => ({
    kind: "bulk",
    job: "import",
    file: resolve(cwd, flags.transactions),
    continueInvalid: flags.continueInvalid === true,
    options: optionsOf(flags),
    signKey: null,
  }),
};

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
