import type { Command } from "commander";
import type { ExplainFlags } from "../sync/explain.js";
import type { AddCommand } from "./command.js";

/** `nightledger explain` */
export const explainCommand: AddCommand = (program: Command, terminal, end) => {
  program
    .command("explain")
    .argument("<transaction>", "id of the transaction")
    .description(
      "explain a transaction: each change with its page, run, file, version and certificate, why it is gone, what it became",
    )
    .option("--link <id>", "only in this bank link; an id may occur in several")
    .option("--json", "print it as JSON, an item for each link")
    .action(async (id: string, flags: ExplainFlags) => {
      const { runExplain } = await import("../sync/explain.js");
      end(await runExplain(terminal, id, flags));
    });
};
