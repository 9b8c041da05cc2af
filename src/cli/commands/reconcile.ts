import { resolve } from "node:path";
import type { Command } from "commander";
import type { BulkOptions } from "../../domain/bulk/bulk-job.js";
import { rangeOptions } from "../../jobs/reconcile/range.js";
import type { BulkFlags } from "../bulk/run.js";
import { withBulkOptions } from "./bulk-options.js";
import type { AddCommand, Schedulable } from "./command.js";
import { calendarDay, linkIds } from "./option-values.js";

interface ReconcileFlags extends BulkFlags {
  readonly roster: string;
  readonly from?: string;
  readonly to?: string;
  readonly links?: string[];
  readonly rows?: boolean;
}

function withReconcileOptions(command: Command): Command {
  return withBulkOptions(
    command
      .requiredOption("--roster <file>", "CSV or JSONL file of users (fp_id, optionally external_id)")
      .option("--from <day>", "first day of the transactions to compare (default: all)", calendarDay)
      .option("--to <day>", "last day of the transactions to compare (default: all)", calendarDay)
      .option("--links <ids>", "compare only these bank links, comma-separated", linkIds)
      .option("--rows", "compare every row, also of accounts whose totals agree"),
  );
}

function optionsOf({ from, to, links, rows }: ReconcileFlags): BulkOptions {
  return rangeOptions({ from: from ?? null, to: to ?? null, links: links ?? null, rows: rows ?? false });
}

export const reconcileCommand: AddCommand = (program, terminal, end) => {
  const command = program
    .command("reconcile")
    .description("compare the lake's transactions and balances with the service's; exit 1 where they differ");
  withReconcileOptions(command).action(async (flags: ReconcileFlags) => {
    const { runBulk } = await import("../bulk/run.js");
    const { reconcileJob } = await import("../../jobs/reconcile.js");
    end(await runBulk(terminal, reconcileJob, flags.roster, optionsOf(flags), flags));
  });
};

export const scheduledReconcile: Schedulable = {
  words: ["reconcile"],
  define: withReconcileOptions,
  job: (flags: ReconcileFlags, cwd) => ({
    kind: "bulk",
    job: "reconcile",
    file: resolve(cwd, flags.roster),
    continueInvalid: flags.continueInvalid === true,
    options: optionsOf(flags),
    signKey: null,
  }),
};
