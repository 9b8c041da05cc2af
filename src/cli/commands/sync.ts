import { resolve } from "node:path";
import { type Command, Option } from "commander";
import { InputError } from "../../domain/failures.js";
import type { SyncOptions } from "../../domain/sync/job.js";
import { DEFAULT_LOOKBACK, MOST_LOOKBACK } from "../../domain/sync/run/reading-window.js";
import type { ReconcileOptions } from "../../jobs/kinds/reconcile.js";
import { defaultStreams, STREAMS } from "../../streams/index.js";
import type { SyncFlags as RunFlags } from "../sync/command.js";
import { type AddCommand, NEW_LAKE, type Schedulable } from "./command.js";
import { between, failRules, linkIds, namesOf, positive } from "./option-values.js";

interface SyncFlags extends RunFlags {
  readonly roster: string;
  readonly streams: string[];
  readonly links?: string[];
  readonly full?: boolean;
  readonly pageSize: number;
  readonly reconcile?: boolean;
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
    .option("--links <ids>", "sync only these bank links, comma-separated", linkIds)
    .option("--full", "re-read every link from the beginning, and accept large removals")
    .option("--reconcile", "then compare what the lake has with the service, as `nightledger reconcile` does")
    .option("--page-size <rows>", "rows to request per page", positive, 500)
    .option(
      "--lookback <days>",
      `of investment_transactions and securities, days before the newest known row to read again (default: ${DEFAULT_LOOKBACK})`,
      between(1, MOST_LOOKBACK),
    )
    .option("--restart", "abandon the job's current run and start a new one")
    .option(...NEW_LAKE)
    .option(
      "--fail-on <rules>",
      "also exit 1 on any of: quarantine, skipped, 'stale>3d' (comma-separated)",
      failRules,
    )
    .option("--detach", "return as soon as the run has started (needs a Temporal cluster)")
    .option("--json", "print the summary as JSON");
}

/** @throws InputError where a reconciliation has nothing to compare, or --lookback no stream to read */
function optionsOf({ streams, links, full, pageSize, lookback, reconcile }: SyncFlags): SyncOptions {
  if (reconcile && !streams.includes("transactions"))
    throw new InputError(
      "--reconcile compares transactions, and --streams leaves them out. Nothing was started. Add transactions to --streams.",
    );
  const isWindowed = STREAMS.some(({ name, windowed }) => windowed && streams.includes(name));
  if (lookback !== undefined && !isWindowed)
    throw new InputError(
      "--lookback is for investment_transactions and securities, and --streams names neither. Nothing was started. Leave it out, or name one of them.",
    );
  return {
    ...{ streams, links: links ?? null, full: full ?? false, pageSize },
    // Part of the job only where it matters: other jobs keep their ids.
    ...(isWindowed && { lookback: lookback ?? DEFAULT_LOOKBACK }),
  };
}

export const syncCommand: AddCommand = (program, terminal, end) => {
  const command = program
    .command("sync")
    .description(
      "sync every bank link of every user in a roster into the lake; running it again joins a run in progress",
    );
  withSyncOptions(command)
    .option("--again", "read users of the roster who were forgotten, too, from now on")
    .action(async (flags: SyncFlags) => {
      const options = optionsOf(flags);
      if (flags.reconcile) {
        const { runReconciledSync } = await import("../bulk/reconciled-sync.js");
        return end(await runReconciledSync(terminal, flags.roster, options, flags));
      }
      const { runSync } = await import("../sync/command.js");
      end(await runSync(terminal, flags.roster, options, flags));
    });
};

export const scheduledSync: Schedulable = {
  words: ["sync"],
  define: withSyncOptions,
  job(flags: SyncFlags, cwd) {
    const roster = resolve(cwd, flags.roster);
    const job = { kind: "sync", roster, options: optionsOf(flags) } as const;
    if (!flags.reconcile) return job;
    const options = { ...(flags.links && { links: flags.links }) } satisfies ReconcileOptions;
    const asked = { kind: "bulk", job: "reconcile", file: roster, continueInvalid: false } as const;
    return { ...job, next: { ...asked, options, inputs: {} } };
  },
};
