import { resolve } from "node:path";
import type { Command } from "commander";
import { InputError } from "../../domain/failures.js";
import type { ScheduledBulk } from "../../intake/schedules/scheduled-job.js";
import { type ReconciledRange, rangeOptions } from "../../jobs/reconcile/range.js";
import type { BulkExtras, BulkFlags } from "../bulk/run.js";
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

/** @throws InputError for a range without a day */
function rangeFrom({ from, to, links, rows }: ReconcileFlags): ReconciledRange {
  if (from !== undefined && to !== undefined && from > to)
    throw new InputError(`--from ${from} is after --to ${to}. Nothing was started. Exchange the two days.`);
  return { from: from ?? null, to: to ?? null, links: links ?? null, rows: rows ?? false };
}

export const reconcileCommand: AddCommand = (program, terminal, end) => {
  const command = program
    .command("reconcile")
    .description("compare the lake's transactions and balances with the service's; exit 1 where they differ");
  withReconcileOptions(command).action(async (flags: ReconcileFlags) => {
    const { runBulk } = await import("../bulk/run.js");
    const { reconcileJob } = await import("../../jobs/reconcile.js");
    const { missingLinks } = await import("../lake/missing-links.js");
    const { reconciliations } = await import("../../lake/tables/reconciliations.js");
    const { links } = flags;
    const missing: BulkExtras["missing"] =
      links && ((store, runId) => missingLinks(store, links, reconciliations, runId));
    const options = rangeOptions(rangeFrom(flags));
    end(await runBulk(terminal, reconcileJob, flags.roster, options, flags, { ...(missing && { missing }) }));
  });
};

export const scheduledReconcile: Schedulable = {
  words: ["reconcile"],
  define: withReconcileOptions,
  job: (flags: ReconcileFlags, cwd) => ({
    ...reconciliation(resolve(cwd, flags.roster), rangeFrom(flags)),
    continueInvalid: flags.continueInvalid === true,
  }),
};

/** A reconciliation as a schedule keeps it. */
export function reconciliation(file: string, range: Partial<ReconciledRange>): ScheduledBulk {
  const options = rangeOptions(range);
  return { kind: "bulk", job: "reconcile", file, continueInvalid: false, options, signKey: null };
}
