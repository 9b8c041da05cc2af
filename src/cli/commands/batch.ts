import type { Command } from "commander";
import type { BatchFlags } from "../onboarding/flags.js";
import type { JobFlags } from "../shell/shell.js";
import type { Terminal } from "../terminal/terminal.js";
import { withBatchOptions } from "./batch-options.js";
import type { AddCommand } from "./command.js";

export const batchCommand: AddCommand = (program, terminal, end) => {
  const batch = program.command("batch").description("show and control onboarding batches");
  batch
    .command("show")
    .argument("<batch>", "id of the batch")
    .description("show the state of a batch's customers and who has to act next")
    .option("--json", "print it as JSON")
    .action(async (id: string, { json = false }: JobFlags) => {
      const { showBatch } = await import("../runs/show-batch.js");
      end(await showBatch(terminal, id, json));
    });
  batch
    .command("cancel")
    .argument("<batch>", "id of the batch")
    .description("cancel a batch: finished work is kept, the rest is not started")
    .option("--json", "print the summary as JSON")
    .action(async (id: string, { json = false }: JobFlags) => {
      const { steerBatch } = await import("../onboarding/batches.js");
      end(await steerBatch(terminal, "cancel", id, json));
    });
  const retry = batch
    .command("retry")
    .argument("<batch>", "id of the batch")
    .description("retry a batch's failed rows as a new attempt");
  withBatchOptions(retry).action(async (id: string, flags: BatchFlags) => {
    const { retryBatch } = await import("../onboarding/batches.js");
    end(await retryBatch(terminal, id, flags));
  });
  addSteering(batch, terminal, end);
};

/** Adds `pause`, `resume` and `links`; `runs` keeps them too, because it once was the only command for batches. */
export function addSteering(
  parent: Command,
  terminal: Terminal,
  end: (code: number) => void,
  options: { readonly hidden?: boolean } = {},
): void {
  for (const [name, description] of STEERING) {
    parent
      .command(name, options)
      .argument("<batch>", "id of the batch")
      .description(description)
      .option("--json", "print the summary as JSON")
      .action(async (id: string, { json = false }: JobFlags) => {
        const { steerBatch } = await import("../onboarding/batches.js");
        end(await steerBatch(terminal, name, id, json));
      });
  }
  parent
    .command("links", options)
    .argument("<file>", "the file written by --continuations")
    .description("decrypt a continuation file and print its links, one JSON object per line")
    .action(async (file: string) => {
      const { printLinks } = await import("../onboarding/batches.js");
      await printLinks(terminal, file);
    });
}

const STEERING = [
  ["pause", "stop starting new customers; those already running continue"],
  ["resume", "resume a paused batch and follow it"],
] as const;
