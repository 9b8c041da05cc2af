import { Option } from "commander";
import { parseDuration } from "../../domain/duration.js";
import { KINDS } from "../../jobs/kinds/index.js";
import type { JobFlags } from "../shell/shell.js";
import { type AddCommand, withTableOptions } from "./command.js";
import { type Flags, readDeclared, withDeclared } from "./declared-options.js";
import { onboardKind } from "./onboard.js";
import { duration, pastInstant, rowLimit } from "./option-values.js";

export const runsCommands: AddCommand = (program, run) => {
  const runs = program
    .command("runs")
    .description("list, show, watch, continue, cancel and retry the runs of every job");
  const kinds = ["sync", "onboard", ...KINDS.map(({ kind }) => kind)];
  const list = runs
    .command("list")
    .description("list runs: unfinished ones first, then the newest")
    .option("--kind <kind>", `only runs of this kind: ${kinds.join(", ")}`, (kind) =>
      kind.replaceAll("-", "_"),
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
    .option("--limit <n>", "show at most this many; 0 shows all", rowLimit, 20);
  withTableOptions(list).action(run(async () => (await import("../runs/list.js")).listRuns));
  runs
    .command("show")
    .argument("<run>", "id of the run, or of a batch of customers")
    .description("show a run: counts, cost, failures with the action to take, and what it is waiting for")
    .option("--json", "print it as JSON")
    .action(run(async () => (await import("../runs/show.js")).showRunOrBatch));
  for (const [name, description, act] of FOLLOWING) {
    runs
      .command(name)
      .argument("<run>", "id of the run")
      .description(description)
      .option("--json", "print the summary as JSON")
      .action(run(async () => (await import("../runs/steer.js"))[act]));
  }
  const retry = runs
    .command("retry")
    .argument("<run>", "id of the run")
    .description("retry what failed: the links and users of a sync, the rows of a bulk job or a batch")
    .option(
      "--send-unknown",
      "also send again what may have been carried out, by an import; it may be carried out twice",
    );
  withDeclared(retry, onboardKind.inputs)
    .option("--detach", "return as soon as the run has started (needs a Temporal cluster)")
    .option("--json", "print the summary as JSON")
    .action(
      run(async () => {
        const { retryRun } = await import("../runs/steer.js");
        return (terminal, id: string, flags: Flags) =>
          retryRun(terminal, id, { ...flags, ...readDeclared(onboardKind.inputs, flags, terminal.cwd) });
      }),
    );
  addBatches(runs, run);

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
    .action(run(async () => (await import("../runs/status-text.js")).showStatus));
};

const addBatches: AddCommand = (runs, run) => {
  for (const [name, description] of STEERING) {
    runs
      .command(name)
      .argument("<batch>", "id of the batch")
      .description(description)
      .option("--json", "print the summary as JSON")
      .action(
        run(async () => {
          const { steerBatch } = await import("../onboarding/batches.js");
          return (terminal, id: string, { json = false }: JobFlags) => steerBatch(terminal, name, id, json);
        }),
      );
  }
  runs
    .command("links")
    .argument("<file>", "the file written by --continuations")
    .description("decrypt a continuation file and print its links, one JSON object per line")
    .action(run(async () => (await import("../onboarding/batches.js")).printLinks));
};

const STEERING = [
  ["pause", "stop starting new customers; those already running continue"],
  ["resume", "resume a paused batch and follow it"],
] as const;

const FOLLOWING = [
  ["watch", "follow a run to its end and exit with its exit code", "watchRun"],
  ["continue", "have a run try now all that waits, send what it holds, and follow it", "continueRun"],
  ["cancel", "cancel a run: finished work is kept, the rest is not started", "cancelRun"],
] as const;
