import { resolve } from "node:path";
import { type Command, Option } from "commander";
import { InputError } from "../../domain/failures.js";
import type { SyncOptions } from "../../domain/sync/job.js";
import { DEFAULT_LOOKBACK, MOST_LOOKBACK } from "../../domain/sync/run/reading-window.js";
import { defaultStreams, STREAMS } from "../../streams/index.js";
import type { SyncFlags as RunFlags } from "../sync/command.js";
import { type AddCommand, NEW_LAKE, type Schedulable } from "./command.js";
import { between, failRules, idList, namesOf, positive } from "./option-values.js";

interface SyncFlags extends RunFlags {
  readonly roster: string;
  readonly streams: string[];
  readonly links?: string[];
  readonly full?: boolean;
  readonly pageSize: number;
  readonly validateOnly?: boolean;
  readonly lookback?: number;
}

const STREAM_NAMES = STREAMS.map(({ name }) => name);

function withSyncOptions(command: Command): Command {
  return command
    .requiredOption("--roster <file>", "CSV or JSONL file of users (fp_id, optionally external_id)")
    .addOption(
      new Option("--streams <list>", `comma-separated list of: ${STREAM_NAMES.join(", ")}`)
        .argParser(namesOf("stream", STREAM_NAMES))
        .default(defaultStreams(STREAMS), defaultStreams(STREAMS).join(",")),
    )
    .option("--links <ids>", "sync only these bank links, comma-separated", idList)
    .option("--full", "re-read every link from the beginning, and accept large removals")
    .option("--page-size <rows>", "rows to request per page", positive, 500)
    .option(
      "--lookback <days>",
      `of investment_transactions and securities, days before the newest known row to read again (default: ${DEFAULT_LOOKBACK})`,
      between(1, MOST_LOOKBACK),
    )
    .option("--validate-only", "only validate the roster: list every invalid row by line, column and rule")
    .option("--restart", "abandon the job's current run and start a new one")
    .option(...NEW_LAKE)
    .option(
      "--fail-on <rules>",
      "also exit 1 on any of: quarantine, skipped, id-conflicts, 'stale>3d' (comma-separated)",
      failRules,
    )
    .option("--detach", "return as soon as the run has started (needs a Temporal cluster)")
    .option("--json", "print the summary as JSON");
}

/** @throws InputError where --lookback has no stream to read */
function optionsOf({ streams, links, full, pageSize, lookback }: SyncFlags): SyncOptions {
  const isWindowed = STREAMS.some(({ name, windowed }) => windowed && streams.includes(name));
  if (lookback !== undefined && !isWindowed)
    throw new InputError(
      "--lookback is for investment_transactions and securities, and --streams names neither. Nothing was started. Leave it out, or name one of them.",
    );
  return {
    ...{ streams, links: links ?? null, full: full ?? false, pageSize },
    // Other jobs keep their ids.
    ...(isWindowed && { lookback: lookback ?? DEFAULT_LOOKBACK }),
  };
}

export const syncCommands: AddCommand = (program, run) => {
  const command = program
    .command("sync")
    .description(
      "sync every bank link of every user in a roster into the lake; running it again joins a run in progress",
    );
  withSyncOptions(command)
    .option("--again", "read users of the roster who were forgotten, too, from now on")
    .action(
      run(async () => async (terminal, flags: SyncFlags) => {
        const options = optionsOf(flags);
        const { runSync, validateRoster } = await import("../sync/command.js");
        return flags.validateOnly
          ? validateRoster(terminal, flags.roster, flags.json === true)
          : runSync(terminal, flags.roster, options, flags);
      }),
    );

  program
    .command("explain")
    .argument("<transaction>", "id of the transaction")
    .description(
      "explain a transaction: each change with its page, run, file, version and certificate, why it is gone, what it became",
    )
    .option("--link <id>", "only in this bank link; an id may occur in several")
    .option("--json", "print it as JSON, an item for each link")
    .action(run(async () => (await import("../sync/explain.js")).runExplain));

  const quarantine = program
    .command("quarantine")
    .description("list bad rows, and close those that will never be fixed");
  quarantine
    .command("list")
    .description("list open bad rows, newest first")
    .option("--all", "include closed rows and what closed them")
    .option("--link <id>", "only rows of this bank link")
    .option("--run <id>", "only rows read by this run")
    .option("--payload", "also show each row's original JSON, which contains personal data")
    .option("--json", "print the rows as JSON")
    .action(run(async () => (await import("../sync/quarantine.js")).listQuarantine));
  quarantine
    .command("resolve")
    .description("close open rows and record why; select them in exactly one way")
    .requiredOption("--reason <text>", "why they are being closed; include no personal data")
    .option("--row <ids...>", "the rows with these ids, as `quarantine list` shows them")
    .option("--link <id>", "every open row of this bank link")
    .option("--run <id>", "every open row read by this run")
    .option("--all-open", "every open row in the lake")
    .option("--json", "print what was closed as JSON")
    .action(run(async () => (await import("../sync/quarantine.js")).resolveQuarantine));
};

export const scheduledSync: Schedulable = {
  words: ["sync"],
  define: withSyncOptions,
  job: (flags: SyncFlags, cwd) => ({
    kind: "sync",
    roster: resolve(cwd, flags.roster),
    options: optionsOf(flags),
  }),
};
