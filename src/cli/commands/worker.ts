import type { Command } from "commander";
import type { AddCommand } from "./command.js";

/** `nightledger worker` */
export const workerCommand: AddCommand = (program: Command, terminal) => {
  program
    .command("worker")
    .description("work on the runs of a Temporal cluster until it is stopped (SIGTERM or Ctrl-C)")
    .action(async () => {
      const { runWorker } = await import("../local/worker.js");
      await runWorker(terminal);
    });
};
