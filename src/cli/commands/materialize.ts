import type { AddCommand } from "./command.js";

export const materializeCommand: AddCommand = (program, terminal) => {
  program
    .command("materialize")
    .description("bring the transactions table up to date with the change feed; every sync ends with this")
    .option("--json", "print what was done as JSON")
    .action(async ({ json }: { readonly json?: boolean }) => {
      const { runMaterialize } = await import("../lake/materialize.js");
      await runMaterialize(terminal, json === true);
    });
};
