import { Option } from "commander";
import { parseDuration } from "../../domain/duration.js";
import { KINDS } from "../../jobs/kinds/index.js";
import type { ListFlags } from "../runs/list.js";
import type { StatusFlags } from "../runs/status-text.js";
import type { RetryFlags } from "../shell/kind.js";
import type { JobFlags } from "../shell/shell.js";
import { addSteering } from "./batch.js";
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
    .argument("<run>", "id of the run")
    .description("show a run: counts, cost, failures with the action to take, and what it is waiting for")
    .option("--json", "print it as JSON")
    .action(async (id: string, { json = false }: JobFlags) => {
      const { showRun } = await import("../runs/show.js");
      end(await showRun(terminal, id, json));
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
    .description("retry what failed: the links and users of a sync, the rows of a bulk job")
    .option(
      "--send-unknown",
      "also send again what may have been carried out, by a proxy or an import; it may be carried out twice",
    );
  withInputsAgain(retry);
  withBatchOptions(retry, { hidden: true }).action(async (id: string, flags: RetryFlags) => {
    const { retryRun } = await import("../runs/steer.js");
    end(await retryRun(terminal, id, flags));
  });
  addSteering(runs, terminal, end, { hidden: true });
};

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
