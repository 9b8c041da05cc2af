import type { Command } from "commander";
import type { AddCommand } from "./command.js";

/** `nightledger materialize` */
export const materializeCommand: AddCommand = (program: Command, terminal) => {
  program
    .command("materialize")
    .description(
      "bring the table transactions up to the change feed's head, in this process; a sync ends with it",
    )
    .option("--json", "print what was done as one JSON value on standard output")
    .action(async ({ json }: { readonly json?: boolean }) => {
      const { runMaterialize } = await import("../lake/materialize.js");
      await runMaterialize(terminal, json === true);
    });
};
