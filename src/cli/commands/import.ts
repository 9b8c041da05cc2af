import type { Command } from "commander";
import type { BulkFlags } from "../bulk/run.js";
import { withBulkOptions } from "./bulk-options.js";
import type { AddCommand } from "./command.js";
import { positive } from "./option-values.js";

interface ImportFlags extends BulkFlags {
  readonly transactions: string;
  readonly chunk: number;
}

/** `nightledger import` */
export const importCommand: AddCommand = (program: Command, terminal, end) => {
  withBulkOptions(
    program
      .command("import")
      .description(
        "import transactions of a file into bank links, each once; the same file again posts nothing",
      )
      .requiredOption(
        "--transactions <file>",
        "CSV or JSONL: link_id, account_id, amount, date, optionally description, transaction_id, transaction_type",
      )
      .option("--chunk <rows>", "rows of one request", positive, 500),
  ).action(async (flags: ImportFlags) => {
    const { runBulk } = await import("../bulk/run.js");
    const { importJob } = await import("../../jobs/import.js");
    end(await runBulk(terminal, importJob, flags.transactions, { chunk: flags.chunk }, flags));
  });
};
