import type { AddCommand } from "./command.js";

export const workerCommand: AddCommand = (program, terminal) => {
  program
    .command("worker")
    .description("run a worker for a Temporal cluster until stopped (SIGTERM or Ctrl-C)")
    .action(async () => {
      const { runWorker } = await import("../local/worker.js");
      await runWorker(terminal);
    });
};
