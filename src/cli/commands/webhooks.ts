import { Option } from "commander";
import { EVENT_KINDS } from "../../domain/service/event-kind.js";
import type { AddCommand } from "./command.js";
import { pastInstant, portNumber, seconds } from "./option-values.js";

export const webhooksCommand: AddCommand = (program, run) => {
  const webhooks = program
    .command("webhooks")
    .description("receive the service's webhooks, watch them, or request a test webhook");
  webhooks
    .command("serve")
    .description("receive webhooks until stopped")
    .option("--port <number>", "port to listen on; 0 picks a free one", portNumber, 8788)
    .option("--host <address>", "address to listen on", "127.0.0.1")
    .action(run(async () => (await import("../webhooks/serve.js")).serveWebhooks));
  webhooks
    .command("listen")
    .description("print webhooks as they are received, and what each led to, until stopped")
    .option("--kind <kinds...>", "only events of these kinds")
    .option(
      "--since <time>",
      "also those received since: 2026-11-21, an instant, or a time ago such as 10m",
      pastInstant,
    )
    .option(
      "--receiver <address>",
      "the receiver to ask for what it refused and what was repeated",
      "http://127.0.0.1:8788",
    )
    .option("--json", "print each line as a JSON object")
    .action(run(async () => (await import("../webhooks/listen.js")).listenToWebhooks));
  webhooks
    .command("test")
    .description("ask the service for a test webhook and wait until a receiver has seen it")
    .addOption(
      new Option("--kind <kinds...>", "events to send; `all` sends each in turn")
        .choices([...EVENT_KINDS, "all"])
        .default(["service.onboarding.completed"]),
    )
    .option("--timeout <seconds>", "how long to wait for each", seconds, 30)
    .option("--json", "print the result of each as JSON")
    .action(run(async () => (await import("../webhooks/test-run.js")).testWebhooks));
};
