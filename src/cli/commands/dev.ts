import type { AddCommand } from "./command.js";
import { portNumber } from "./option-values.js";

export const devCommand: AddCommand = (program, terminal) => {
  program
    .command("dev")
    .description("run an embedded Temporal server with its web UI and a worker until Ctrl-C")
    .option("--webhooks-port <number>", "port of the webhook receiver; 0 picks a free one", portNumber, 8788)
    .action(async ({ webhooksPort }: { readonly webhooksPort: number }) => {
      const { runDev } = await import("../local/dev.js");
      await runDev(terminal, webhooksPort);
    });
};
