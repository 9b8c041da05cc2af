import type { Command } from "commander";
import { isRunId } from "../../domain/run.js";
import type { AnyJob } from "../../jobs/job.js";
import type { BatchFlags } from "../onboarding/flags.js";
import type { Terminal } from "../terminal/terminal.js";
import { withBatchOptions } from "./batch-options.js";
import type { AddCommand } from "./command.js";

/** `nightledger runs` */
export const runsCommand: AddCommand = (program: Command, terminal, end) => {
  const runs = program.command("runs").description("steer runs and batches that are going on or have ended");
  withBatchOptions(
    runs
      .command("retry")
      .argument("<run>", "id of a run of a bulk job, or of a batch of onboarding")
      .description("run again what failed: of a batch as a new attempt, of a bulk job as a run of its own")
      .option("--sign-key <file>", "of an export that was signed: its Ed25519 private key again (PEM)"),
  ).action(async (id: string, flags: BatchFlags & { readonly signKey?: string }) => {
    const job = await bulkJobOf(id);
    if (job !== undefined) {
      const { retryRun } = await import("../bulk/retry.js");
      return end(await retryRun(terminal, job, id, flags));
    }
    const { retryBatch } = await import("../onboarding/batches.js");
    end(await retryBatch(terminal, id, flags));
  });
  for (const [name, argument, description] of STEERING) {
    runs
      .command(name)
      .argument(argument, "its id")
      .description(description)
      .option("--json", "print the summary as one JSON value on standard output")
      .action(async (id: string, { json = false }: { readonly json?: boolean }) => {
        end(await (name === "cancel" ? cancel(terminal, id, json) : steer(terminal, name, id, json)));
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
  ["pause", "<batch>", "start no more customers; those that run go on"],
  ["resume", "<batch>", "go on with a batch that was paused"],
  ["cancel", "<run>", "end a run or a batch: what is done stays, the rest is not begun"],
] as const;

async function cancel(terminal: Terminal, id: string, json: boolean): Promise<number> {
  if (isRunId("sync", id)) {
    const { cancelSync } = await import("../sync/cancel.js");
    return cancelSync(terminal, id, json);
  }
  const job = await bulkJobOf(id);
  if (job === undefined) return steer(terminal, "cancel", id, json);
  const { cancelBulk } = await import("../bulk/cancel.js");
  return cancelBulk(terminal, job, id, json);
}

async function steer(
  terminal: Terminal,
  how: "pause" | "resume" | "cancel",
  batch: string,
  json: boolean,
): Promise<number> {
  const { steerBatch } = await import("../onboarding/batches.js");
  return steerBatch(terminal, how, batch, json);
}

/** The kind of bulk job that an id is a run of. */
async function bulkJobOf(id: string): Promise<AnyJob | undefined> {
  const { JOBS } = await import("../../jobs/index.js");
  return JOBS.find(({ kind }) => isRunId(kind, id));
}
