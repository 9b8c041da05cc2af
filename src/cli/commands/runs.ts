import type { Command } from "commander";
import type { ListFlags } from "../runs/list.js";
import type { RetryFlags } from "../runs/steer.js";
import { addSteering } from "./batch.js";
import { withBatchOptions } from "./batch-options.js";
import type { AddCommand } from "./command.js";
import { pastInstant, rowLimit } from "./option-values.js";

interface JsonFlag {
  readonly json?: boolean;
}

/** `nightledger runs` */
export const runsCommand: AddCommand = (program: Command, terminal, end) => {
  const runs = program
    .command("runs")
    .description("list, show, watch, cancel and retry the runs of every job");
  runs
    .command("list")
    .description("list runs: those that have not ended first, then the newest")
    .option("--kind <kind>", "only runs of this job: sync, onboard, cip, import")
    .option("--status <status>", "only runs that stand so: completed_with_failures, running, interrupted, …")
    .option("--schedule <name>", "only runs that this schedule fired")
    .option(
      "--since <time>",
      "only runs since then: 2026-11-21, an instant, or a time ago as 36h",
      pastInstant,
    )
    .option("--limit <n>", "at most so many; 0 shows all", rowLimit, 20)
    .option("--json", "print them as one JSON array on standard output")
    .action(async (flags: ListFlags) => {
      const { listRuns } = await import("../runs/list.js");
      end(await listRuns(terminal, flags));
    });
  runs
    .command("show")
    .argument("<run>", "its id")
    .description("show a run: counts, cost, what failed with the action to take, and what it waits for")
    .option("--json", "print it as one JSON value on standard output")
    .action(async (id: string, { json = false }: JsonFlag) => {
      const { showRun } = await import("../runs/show.js");
      end(await showRun(terminal, id, json));
    });
  runs
    .command("watch")
    .argument("<run>", "its id")
    .description("follow a run to its end, and exit with its exit code")
    .option("--json", "print the summary as one JSON value on standard output")
    .action(async (id: string, { json = false }: JsonFlag) => {
      const { watchRun } = await import("../runs/watch.js");
      end(await watchRun(terminal, id, json));
    });
  runs
    .command("cancel")
    .argument("<run>", "its id")
    .description("end a run: what is done stays, the rest is not begun")
    .option("--json", "print the summary as one JSON value on standard output")
    .action(async (id: string, { json = false }: JsonFlag) => {
      const { cancelRun } = await import("../runs/steer.js");
      end(await cancelRun(terminal, id, json));
    });
  const retry = runs
    .command("retry")
    .argument("<run>", "its id")
    .description("run again what failed: of a sync the links and users, of a bulk job the rows")
    .option("--sign-key <file>", "of an export that was signed: its Ed25519 private key again (PEM)");
  withBatchOptions(retry, { hidden: true }).action(async (id: string, flags: RetryFlags) => {
    const { retryRun } = await import("../runs/steer.js");
    end(await retryRun(terminal, id, flags));
  });
  addSteering(runs, terminal, end, { hidden: true });
};
