import type { Command } from "commander";
import { type AddCommand, examples } from "./command.js";

/** `nightledger rebind` */
export const rebindCommand: AddCommand = (program: Command, terminal) => {
  program
    .command("rebind")
    .description(
      "tell the lake that its service has moved to the address in NIGHTLEDGER_API_URL; nothing will be read or posted again",
    )
    .option("--json", "print what was done as JSON")
    .addHelpText("after", examples("NIGHTLEDGER_API_URL=https://new.example.com nightledger rebind"))
    .action(async ({ json }: { readonly json?: boolean }) => {
      const { runRebind } = await import("../lake/rebind.js");
      await runRebind(terminal, json === true);
    });
};
