import type { Command } from "commander";
import type { BulkFlags } from "../bulk/run.js";
import { withBulkOptions } from "./bulk-options.js";
import type { AddCommand } from "./command.js";
import { between } from "./option-values.js";

interface ImportFlags extends BulkFlags {
  readonly transactions: string;
  readonly chunk: number;
  readonly sendUnknown?: boolean;
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
      .option("--chunk <rows>", "rows of one request, at most 5,000", between(1, 5_000), 500)
      .option(
        "--send-unknown",
        "send rows again of which an earlier run could not tell; look first: imports verify",
      ),
  ).action(async (flags: ImportFlags) => {
    const { runBulk } = await import("../bulk/run.js");
    const { importJob } = await import("../../jobs/import.js");
    const options = { chunk: flags.chunk, ...(flags.sendUnknown && { send_unknown: true }) };
    end(await runBulk(terminal, importJob, flags.transactions, options, flags));
  });
};
