import type { AddCommand } from "./command.js";

export const rebindCommand: AddCommand = (program, terminal) => {
  program
    .command("rebind")
    .description(
      "record that this lake's service has moved to NIGHTLEDGER_API_URL; nothing is posted or read again",
    )
    .option("--json", "print what was done as JSON")
    .action(async ({ json }: { readonly json?: boolean }) => {
      const { runRebind } = await import("../lake/rebind.js");
      await runRebind(terminal, json === true);
    });
};
