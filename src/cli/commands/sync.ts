import { type Command, InvalidArgumentError, Option } from "commander";
import type { SyncOptions } from "../../domain/sync/job.js";
import { defaultStreams, STREAMS } from "../../streams/index.js";
import type { AddCommand } from "./command.js";

interface SyncFlags {
  readonly roster: string;
  readonly streams: string[];
  readonly links?: string[];
  readonly full?: boolean;
  readonly pageSize: number;
  readonly detach?: boolean;
  readonly json?: boolean;
}

const STREAM_NAMES = STREAMS.map(({ name }) => name);

function streams(text: string): string[] {
  const given = text.split(",").map((name) => name.trim());
  for (const name of given) {
    if (!STREAM_NAMES.includes(name)) {
      throw new InvalidArgumentError(`unknown stream ${name}; accepted: ${STREAM_NAMES.join(", ")}.`);
    }
  }
  return [...new Set(given)].sort();
}

function linkIds(text: string): string[] {
  const ids = text.split(",").map((id) => id.trim());
  if (ids.some((id) => id === "")) throw new InvalidArgumentError("a link id is empty; accepted: ID,ID,…");
  return [...new Set(ids)].sort();
}

function positive(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < 1) throw new InvalidArgumentError("accepted: a positive whole number.");
  return value;
}

/** `nightledger sync` */
export const syncCommand: AddCommand = (program: Command, terminal, end) => {
  program
    .command("sync")
    .description(
      "read every bank link of every user in a roster into the lake; the same command again joins the run",
    )
    .requiredOption("--roster <file>", "CSV or JSONL naming the users (fp_id, optional external_id)")
    .addOption(
      new Option("--streams <list>", `comma-separated, of ${STREAM_NAMES.join(", ")}`)
        .argParser(streams)
        .default(defaultStreams(STREAMS), defaultStreams(STREAMS).join(",")),
    )
    .option("--links <ids>", "only these bank links, comma-separated", linkIds)
    .option("--full", "read every link again from its beginning, and accept large removals")
    .option("--page-size <rows>", "rows asked for in one page", positive, 500)
    .option("--detach", "with a cluster: return once the run is started")
    .option("--json", "print the summary as one JSON value on standard output")
    .action(async (flags: SyncFlags) => {
      const options: SyncOptions = {
        streams: flags.streams,
        links: flags.links ?? null,
        full: flags.full ?? false,
        pageSize: flags.pageSize,
      };
      const { runSync } = await import("../sync/run.js");
      end(
        await runSync(terminal, flags.roster, options, {
          detach: flags.detach === true,
          json: flags.json === true,
        }),
      );
    });
};
