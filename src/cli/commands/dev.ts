import type { Command } from "commander";
import type { AddCommand } from "../main.js";

/** `nightledger dev` */
export const devCommand: AddCommand = (program: Command, terminal) => {
  program
    .command("dev")
    .description("keep an embedded Temporal server with its web UI and a worker running, until Ctrl-C")
    .action(async () => {
      const { runDev } = await import("../dev-run.js");
      await runDev(terminal);
    });
};
