import type { AddCommand } from "./command.js";
import { portNumber } from "./option-values.js";

export const webhooksCommand: AddCommand = (program, run) => {
  program
    .command("webhooks")
    .description("receive the service's webhooks")
    .command("serve")
    .description("receive webhooks until stopped")
    .option("--port <number>", "port to listen on; 0 picks a free one", portNumber, 8788)
    .option("--host <address>", "address to listen on", "127.0.0.1")
    .action(run(async () => (await import("../webhooks/serve.js")).serveWebhooks));
};
