import { resolve } from "node:path";
import { type Command, Option } from "commander";
import type { FailRules } from "../../domain/sync/fail-rules.js";
import type { SyncOptions } from "../../domain/sync/job.js";
import { defaultStreams, STREAMS } from "../../streams/index.js";
import type { AddCommand } from "./command.js";
import { failRules, linkIds, namesOf, positive } from "./option-values.js";
import type { Schedulable } from "./schedulable.js";

interface SyncFlags {
  readonly roster: string;
  readonly streams: string[];
  readonly links?: string[];
  readonly full?: boolean;
  readonly pageSize: number;
  readonly restart?: boolean;
  readonly detach?: boolean;
  readonly json?: boolean;
  readonly failOn?: FailRules;
}

const STREAM_NAMES = STREAMS.map(({ name }) => name);

function withSyncOptions(command: Command): Command {
  return command
    .requiredOption("--roster <file>", "CSV or JSONL naming the users (fp_id, optional external_id)")
    .addOption(
      new Option("--streams <list>", `comma-separated, of ${STREAM_NAMES.join(", ")}`)
        .argParser(namesOf("stream", STREAM_NAMES))
        .default(defaultStreams(STREAMS), defaultStreams(STREAMS).join(",")),
    )
    .option("--links <ids>", "only these bank links, comma-separated", linkIds)
    .option("--full", "read every link again from its beginning, and accept large removals")
    .option("--page-size <rows>", "rows asked for in one page", positive, 500)
    .option("--restart", "give up the run of the same job that is going on, and start a new one")
    .option(
      "--fail-on <rules>",
      "exit 1 also on: quarantine, skipped, 'stale>3d'; comma-separated",
      failRules,
    )
    .option("--detach", "with a cluster: return once the run is started")
    .option("--json", "print the summary as one JSON value on standard output");
}

function optionsOf({ streams, links, full, pageSize }: SyncFlags): SyncOptions {
  return { streams, links: links ?? null, full: full ?? false, pageSize };
}

/** `nightledger sync` */
export const syncCommand: AddCommand = (program: Command, terminal, end) => {
  const command = program
    .command("sync")
    .description(
      "read every bank link of every user in a roster into the lake; the same command again joins the run",
    );
  withSyncOptions(command).action(async (flags: SyncFlags) => {
    const { runSync } = await import("../sync/run.js");
    end(await runSync(terminal, flags.roster, optionsOf(flags), flags));
  });
};

/** The same in a schedule. */
export const scheduledSync: Schedulable = {
  words: ["sync"],
  define: withSyncOptions,
  job: (flags: SyncFlags, cwd) => ({
    kind: "sync",
    roster: resolve(cwd, flags.roster),
    options: optionsOf(flags),
  }),
};
