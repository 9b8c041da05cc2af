import { Option } from "commander";
import type { InitFlags } from "../local/init.js";
import { type AddCommand, examples, NEW_LAKE } from "./command.js";
import { portNumber } from "./option-values.js";

export const demoCommand: AddCommand = (program, terminal, end) => {
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
    .addHelpText("after", examples("nightledger demo"))
    .action(async ({ directory }: { readonly directory: string }) => {
      const { runDemo } = await import("../local/demo.js");
      end(await runDemo(terminal, directory));
    });
};

export const devCommand: AddCommand = (program, terminal) => {
  program
    .command("dev")
    .description("run an embedded Temporal server with its web UI and a worker until Ctrl-C")
    .option("--webhooks-port <number>", "port of the webhook receiver; 0 picks a free one", portNumber, 8788)
    .option(...NEW_LAKE)
    .action(async ({ webhooksPort }: { readonly webhooksPort: number }) => {
      const { runDev } = await import("../local/dev.js");
      await runDev(terminal, webhooksPort);
    });
};

export const workerCommand: AddCommand = (program, terminal, end) => {
  program
    .command("worker")
    .description("run a worker for a Temporal cluster until stopped (SIGTERM or Ctrl-C)")
    .addOption(
      new Option(
        "--drain",
        "work on what is pinned to this build's version only, and end when nothing is",
      ).conflicts("current"),
    )
    .option("--current", "make the version of this build's workers the current one again, and end")
    .action(async (flags: { readonly drain?: boolean; readonly current?: boolean }) => {
      const { runWorker } = await import("../local/worker.js");
      end(await runWorker(terminal, flags));
    });
};

export const checkCommand: AddCommand = (program, terminal, end) => {
  program
    .command("check")
    .description(
      "check configuration, lake, keys, service and Temporal the way a job would, without writing to the lake",
    )
    .option("--roster <file>", "also check this roster")
    .option("--json", "print the findings as JSON")
    .action(async (flags: { readonly roster?: string; readonly json?: boolean }) => {
      const { runCheck } = await import("../local/check.js");
      end(await runCheck(terminal, flags));
    });
};

export const versionCommand: AddCommand = (program, terminal) => {
  program
    .command("version")
    .description("print the versions of Nightledger and of what it runs on")
    .option("--json", "print them as JSON")
    .action(async ({ json }: { readonly json?: boolean }) => {
      const { runVersion } = await import("../local/version.js");
      await runVersion(terminal, json === true);
    });
};

export const initCommand: AddCommand = (program, terminal, end) => {
  program
    .command("init")
    .description(
      "write .env and nightledger.yaml for this directory, asking for what no flag says, and check them",
    )
    .option("--url <address>", "address of the service")
    .option("--key-file <file>", "file with its secret key; - is standard input")
    .option("--lake <place>", "the lake: a directory, or s3://bucket/prefix (default: ./lake)")
    .option("--force", "change the settings of a .env that is there; its other lines stay")
    .addHelpText(
      "after",
      examples("nightledger init", "nightledger init --url https://api.example.com --key-file key.txt"),
    )
    .action(async (flags: InitFlags) => {
      const { runInit } = await import("../local/init.js");
      end(await runInit(terminal, flags));
    });
};
