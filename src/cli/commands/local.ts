import { type AddCommand, NEW_LAKE } from "./command.js";
import { portNumber } from "./option-values.js";

export const localCommands: AddCommand = (program, run) => {
  program
    .command("demo")
    .description(
      "try everything on this machine: sync two nights from a stand-in service, import, export, and show the tables",
    )
    .option(
      "--directory <directory>",
      "where to put the demo's lake; each demo deletes the one before",
      "nightledger-demo",
    )
    .action(run(async () => (await import("../local/demo.js")).runDemo));

  program
    .command("dev")
    .description("run an embedded Temporal server and a worker until Ctrl-C")
    .option("--temporal-ui", "also serve Temporal's web UI, to pages of its own only")
    .option(
      "--webhooks-port <number>",
      "port of the webhook receiver; 0 picks a free one (default: 8788)",
      portNumber,
    )
    .option(...NEW_LAKE)
    .action(run(async () => (await import("../local/dev.js")).runDev));

  program
    .command("worker")
    .description("run a worker for a Temporal cluster until stopped (SIGTERM or Ctrl-C)")
    .action(run(async () => (await import("../local/worker.js")).runWorker));

  program
    .command("check")
    .description(
      "check configuration, lake, keys, service and Temporal the way a job would, and change nothing",
    )
    .option("--roster <file>", "also check this roster")
    .option("--json", "print the findings as JSON")
    .action(run(async () => (await import("../local/check.js")).runCheck));

  program
    .command("version")
    .description("print the versions of Nightledger and of what it runs on")
    .option("--json", "print them as JSON")
    .action(run(async () => (await import("../local/version.js")).runVersion));

  program
    .command("init")
    .description(
      "write .env and nightledger.yaml for this directory, asking for what no flag says, and check them",
    )
    .option("--url <address>", "address of the service")
    .option("--key-file <file>", "file with its secret key; - is standard input")
    .option("--lake <place>", "the lake: a directory, or s3://bucket/prefix (default: ./lake)")
    .option("--force", "change the settings of a .env that is there; its other lines stay")
    .action(run(async () => (await import("../local/init.js")).runInit));

  const codec = program.command("codec").description("let Temporal's web UI and CLI show what is encrypted");
  codec
    .command("serve")
    .description("serve Temporal's codec protocol with the deployment's keys until stopped")
    .option("--port <number>", "port to listen on; 0 picks a free one", portNumber, 8789)
    .option("--host <address>", "address to listen on", "127.0.0.1")
    .requiredOption("--origin <url...>", "the web UI: the only pages that may ask")
    .action(run(async () => (await import("../local/codec.js")).serveCodec));
};
