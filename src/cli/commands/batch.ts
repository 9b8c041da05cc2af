import type { Command } from "commander";
import type { BatchFlags } from "../onboarding/flags.js";
import type { Terminal } from "../terminal/terminal.js";
import { withBatchOptions } from "./batch-options.js";
import type { AddCommand } from "./command.js";

interface JsonFlag {
  readonly json?: boolean;
}

/** `nightledger batch` */
export const batchCommand: AddCommand = (program: Command, terminal, end) => {
  const batch = program.command("batch").description("show and steer the batches of onboarding");
  batch
    .command("show")
    .argument("<batch>", "its id")
    .description("show how the customers of a batch stand, and whose turn it is")
    .option("--json", "print it as one JSON value on standard output")
    .action(async (id: string, { json = false }: JsonFlag) => {
      const { showBatch } = await import("../runs/show-batch.js");
      end(await showBatch(terminal, id, json));
    });
  batch
    .command("cancel")
    .argument("<batch>", "its id")
    .description("end a batch: what is done stays, the rest is not begun")
    .option("--json", "print the summary as one JSON value on standard output")
    .action(async (id: string, { json = false }: JsonFlag) => {
      const { steerBatch } = await import("../onboarding/batches.js");
      end(await steerBatch(terminal, "cancel", id, json));
    });
  const retry = batch
    .command("retry")
    .argument("<batch>", "its id")
    .description("run again what failed in a batch, as a new attempt");
  withBatchOptions(retry).action(async (id: string, flags: BatchFlags) => {
    const { retryBatch } = await import("../onboarding/batches.js");
    end(await retryBatch(terminal, id, flags));
  });
  addSteering(batch, terminal, end);
};

/** Adds `pause`, `resume` and `links`; `runs` has them too, from the time when it steered batches alone. */
export function addSteering(
  parent: Command,
  terminal: Terminal,
  end: (code: number) => void,
  options: { readonly hidden?: boolean } = {},
): void {
  for (const [name, description] of STEERING) {
    parent
      .command(name, options)
      .argument("<batch>", "its id")
      .description(description)
      .option("--json", "print the summary as one JSON value on standard output")
      .action(async (id: string, { json = false }: JsonFlag) => {
        const { steerBatch } = await import("../onboarding/batches.js");
        end(await steerBatch(terminal, name, id, json));
      });
  }
  parent
    .command("links", options)
    .argument("<file>", "what --continuations wrote")
    .description("print the links of a continuation file in the clear, one JSON object per line")
    .action(async (file: string) => {
      const { printLinks } = await import("../onboarding/batches.js");
      await printLinks(terminal, file);
    });
}

const STEERING = [
  ["pause", "start no more customers; those that run continue"],
  ["resume", "continue a batch that was paused, and follow it"],
] as const;
