import { InvalidArgumentError } from "commander";
import { dayText } from "../../api/schemas/fields.js";
import type { ExportFlags } from "../sync/export/transactions.js";
import { type AddCommand, examples } from "./command.js";
import { linkIds } from "./option-values.js";

const isDay = (text: string) => dayText.safeParse(text).success;

function day(text: string): string {
  if (isDay(text)) return text;
  throw new InvalidArgumentError("accepted: a day, such as 2026-11-21.");
}

function versionOrDay(text: string): string {
  if (/^\d{1,15}$/.test(text) || isDay(text)) return text;
  throw new InvalidArgumentError("accepted: a version of transaction_changes, or a day, such as 2026-11-21.");
}

/** Adds `export transactions`; a kind of job has made `export`. */
export const exportTransactionsCommand: AddCommand = (program, terminal) => {
  program.commands
    .find((command) => command.name() === "export")
    ?.command("transactions")
    .description("write the transactions of some days into a file, as the lake is or was, with its proof")
    .requiredOption("--from <day>", "first day", day)
    .requiredOption("--to <day>", "last day", day)
    .requiredOption("--out <file>", "the file: .csv, .parquet or .ofx")
    .option("--accounts <ids>", "only these accounts, comma-separated", linkIds)
    .option(
      "--as-of <version>",
      "as it was at a version of transaction_changes, or at a day's end",
      versionOrDay,
    )
    .option("--force", "replace the file if it is there")
    .option("--json", "print the proof as JSON")
    .addHelpText(
      "after",
      examples("nightledger export transactions --from 2026-01-01 --to 2026-03-31 --out q1.csv"),
    )
    .action(async (flags: ExportFlags) => {
      const { runExportTransactions } = await import("../sync/export/transactions.js");
      await runExportTransactions(terminal, flags);
    });
};
