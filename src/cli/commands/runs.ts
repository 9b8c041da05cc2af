import type { Command } from "commander";
import { isRunId } from "../../domain/run.js";
import type { BatchFlags } from "../onboarding/flags.js";
import { withBatchOptions } from "./batch-options.js";
import type { AddCommand } from "./command.js";

/** `nightledger runs` */
export const runsCommand: AddCommand = (program: Command, terminal, end) => {
  const runs = program.command("runs").description("steer batches of onboarding that run or have run");
  withBatchOptions(
    runs.command("retry").argument("<batch>", "its id").description("run what failed, as a new attempt"),
  ).action(async (batch: string, flags: BatchFlags) => {
    const { retryBatch } = await import("../onboarding/batches.js");
    end(await retryBatch(terminal, batch, flags));
  });
  for (const [name, description] of STEERING) {
    runs
      .command(name)
      .argument("<batch>", "its id")
      .description(description)
      .option("--json", "print the summary as one JSON value on standard output")
      .action(async (batch: string, { json }: { readonly json?: boolean }) => {
        if (name === "cancel" && isRunId("sync", batch)) {
          const { cancelSync } = await import("../sync/cancel.js");
          return end(await cancelSync(terminal, batch, json === true));
        }
        const { steerBatch } = await import("../onboarding/batches.js");
        end(await steerBatch(terminal, name, batch, json === true));
      });
  }
  runs
    .command("links")
    .argument("<file>", "what --continuations wrote")
    .description("print the links of a continuation file in the clear, one JSON object a line")
    .action(async (file: string) => {
      const { printLinks } = await import("../onboarding/batches.js");
      await printLinks(terminal, file);
    });
};

const STEERING = [
  ["pause", "start no more customers; those that run go on"],
  ["resume", "go on with a batch that was paused"],
  ["cancel", "end a batch: what was not posted is cancelled, what was keeps its last status"],
] as const;
