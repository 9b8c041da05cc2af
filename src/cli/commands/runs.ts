import { type Command, Option } from "commander";
import { parseDuration } from "../../domain/duration.js";
import { KINDS } from "../../jobs/kinds/index.js";
import type { ListFlags } from "../runs/list.js";
import type { StatusFlags } from "../runs/status-text.js";
import type { RetryFlags } from "../shell/kind.js";
import type { JobFlags } from "../shell/shell.js";
import type { Terminal } from "../terminal/terminal.js";
import { withBatchOptions } from "./batch-options.js";
import { withInputsAgain } from "./bulk-inputs.js";
import { type AddCommand, examples } from "./command.js";
import { duration, pastInstant, rowLimit } from "./option-values.js";
import { withTableOptions } from "./table-options.js";

export const runsCommand: AddCommand = (program, terminal, end) => {
  const runs = program
    .command("runs")
    .description("list, show, watch, continue, cancel and retry the runs of every job");
  const list = runs
    .command("list")
    .description("list runs: unfinished ones first, then the newest")
    .option(
      "--kind <kind>",
      `only runs of this kind: ${["sync", "onboard", ...KINDS.map(({ kind }) => kind)].join(", ")}`,
      (kind) => kind.replaceAll("-", "_"),
    )
    .option(
      "--status <status>",
      "only runs with this status: completed_with_failures, running, interrupted, …",
    )
    .option("--schedule <name>", "only runs started by this schedule")
    .option(
      "--since <time>",
      "only runs started since: 2026-11-21, an instant, or a time ago such as 36h",
      pastInstant,
    )
    .option("--limit <n>", "show at most this many; 0 shows all", rowLimit, 20)
    .addHelpText("after", examples("nightledger runs list --status failed --since 36h"));
  withTableOptions(list).action(async (flags: ListFlags) => {
    const { listRuns } = await import("../runs/list.js");
    end(await listRuns(terminal, flags));
  });
  runs
    .command("show")
    .argument("<run>", "id of the run, or of a batch of customers")
    .description("show a run: counts, cost, failures with the action to take, and what it is waiting for")
    .option("--json", "print it as JSON")
    .action(async (id: string, { json = false }: JobFlags) => {
      const { showRun } = await import("../runs/show.js");
      const { showBatch } = await import("../runs/show-batch.js");
      end(await (id.startsWith("onb_") ? showBatch : showRun)(terminal, id, json));
    });
  for (const [name, description] of FOLLOWING) {
    runs
      .command(name)
      .argument("<run>", "id of the run")
      .description(description)
      .option("--json", "print the summary as JSON")
      .action(async (id: string, { json = false }: JobFlags) => {
        const { watchRun } = await import("../runs/steer.js");
        end(await watchRun(terminal, id, { json, continues: name === "continue" }));
      });
  }
  runs
    .command("cancel")
    .argument("<run>", "id of the run")
    .description("cancel a run: finished work is kept, the rest is not started")
    .option("--json", "print the summary as JSON")
    .action(async (id: string, { json = false }: JobFlags) => {
      const { cancelRun } = await import("../runs/steer.js");
      end(await cancelRun(terminal, id, json));
    });
  const retry = runs
    .command("retry")
    .argument("<run>", "id of the run")
    .description("retry what failed: the links and users of a sync, the rows of a bulk job or a batch")
    .option(
      "--send-unknown",
      "also send again what may have been carried out, by a proxy or an import; it may be carried out twice",
    );
  withInputsAgain(retry);
  withBatchOptions(retry).action(async (id: string, flags: RetryFlags) => {
    const { retryRun } = await import("../runs/steer.js");
    end(await retryRun(terminal, id, flags));
  });
  addBatches(runs, terminal, end);
};

/** Adds what is for batches alone. */
function addBatches(runs: Command, terminal: Terminal, end: (code: number) => void): void {
  for (const [name, description] of STEERING) {
    runs
      .command(name)
      .argument("<batch>", "id of the batch")
      .description(description)
      .option("--json", "print the summary as JSON")
      .action(async (id: string, { json = false }: JobFlags) => {
        const { steerBatch } = await import("../onboarding/batches.js");
        end(await steerBatch(terminal, name, id, json));
      });
  }
  runs
    .command("links")
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

const FOLLOWING = [
  ["watch", "follow a run to its end and exit with its exit code"],
  ["continue", "have a run try now all that waits, send what it holds, and follow it"],
] as const;

export const statusCommand: AddCommand = (program, terminal, end) => {
  program
    .command("status")
    .description(
      "show what ran last, what failed and what to do about it, what is still open, and what runs next",
    )
    .addOption(
      new Option("--stale <time>", "list bank links with no commit for longer than this")
        .argParser(duration)
        .default(parseDuration("3d"), "3d"),
    )
    .option("--json", "print it as JSON")
    .action(async (flags: StatusFlags) => {
      const { showStatus } = await import("../runs/status-text.js");
      end(await showStatus(terminal, flags));
    });
};
