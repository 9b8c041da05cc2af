import { InputError } from "../../domain/failures.js";
import { type BrokenRule, brokenRules, type FailRules } from "../../domain/sync/fail-rules.js";
import type { SyncOptions } from "../../domain/sync/job.js";
import type { SyncSummary } from "../../domain/sync/sync-summary.js";
import { counted } from "../../domain/words/counted.js";
import { judgeRoster, readRoster } from "../../intake/sync/roster-file.js";
import { startSync } from "../../intake/sync/start.js";
import { currentOf, isHistory } from "../../lake/history/history-spec.js";
import type { ObjectStore } from "../../lake/store/object-store.js";
import { openQuarantine } from "../../lake/sync/quarantine.js";
import { linksOfRun, staleLinks } from "../../lake/sync/unread-links.js";
import { linkSyncs } from "../../lake/tables/link-syncs.js";
import { accountStream } from "../../streams/accounts.js";
import { transactionStream } from "../../streams/transactions.js";
import type { StartedRun } from "../../temporal/running-workflows.js";
import { missingLinks, missingWords } from "../lake/missing-links.js";
import { withLakeReader } from "../lake/reader.js";
import { placeOf } from "../session/preflight.js";
import { type JobFlags, runJob } from "../shell/shell.js";
import { showValidation } from "../shell/validation.js";
import type { Terminal } from "../terminal/terminal.js";
import { askForgotten } from "./forget/forgotten-users.js";
import { SYNC } from "./form.js";

export interface SyncFlags extends JobFlags {
  readonly restart?: boolean;
  readonly failOn?: FailRules;
  /** Reads users who were forgotten. */
  readonly again?: boolean;
}

export async function runSync(
  terminal: Terminal,
  rosterPath: string,
  options: SyncOptions,
  flags: SyncFlags,
): Promise<number> {
  const { failOn } = flags;
  if (failOn !== undefined && flags.detach)
    throw new InputError(
      "--fail-on is checked when the run ends, and --detach leaves before that. Nothing was started. Use only one of them.",
    );
  return runJob(terminal, flags, {
    async read() {
      const roster = await readRoster(rosterPath);
      for (const warning of roster.warnings) terminal.say(`warning: ${warning}`);
      return roster;
    },
    async plan({ store }, roster) {
      const users = new Set(roster.rows.map(({ fp_id }) => fp_id));
      return {
        kind: SYNC,
        pingedUser: roster.rows[0]?.fp_id,
        async start({ preflight, temporal, signal }) {
          const at = { place: preflight.config.lake, store };
          await askForgotten(terminal, at, users, flags.again === true);
          const restart = flags.restart === true;
          const job = { ...placeOf(preflight), roster, options, restart, signal };
          return startSync(temporal.client, store, job);
        },
        afterStart: (run) => sayOtherSize(terminal, run, options),
        async judge(result: SyncSummary) {
          const judged = { users, only: options.links };
          const broken =
            failOn && !result.unauthorized ? await brokenBy(failOn, store, result, judged) : undefined;
          const missing = await linksNotFound(store, result, options);
          return {
            also: {
              ...(broken && { fail_on: broken }),
              ...(options.links && { links_not_found: missing }),
            },
            failed: missing.length + (broken?.length ?? 0) > 0,
            notes: [...(broken ?? []).map(ruleInWords), ...missingWords(missing)],
          };
        },
        ...(options.links && { unjudged: { links_not_found: [] } }),
      };
    },
  });
}

/** Validates a roster and starts nothing. */
export async function validateRoster(terminal: Terminal, path: string, json: boolean): Promise<number> {
  const { warnings, ...judged } = await judgeRoster(path);
  for (const warning of warnings) terminal.say(`warning: ${warning}`);
  return showValidation(terminal, judged, json);
}

function sayOtherSize(terminal: Terminal, { joined, memo }: StartedRun, { pageSize }: SyncOptions): void {
  const size = memo.pageSize;
  if (!joined || size === undefined || size === pageSize) return;
  terminal.say(
    `--page-size ${pageSize} is not used: the run that this command joined was started with ${size}`,
  );
}

/** The links of `--links` that a sync did not find; none where it read neither transactions nor accounts, which tell. */
export async function linksNotFound(
  store: ObjectStore,
  { run_id, status, users }: Pick<SyncSummary, "run_id" | "status" | "users">,
  { links, streams }: Pick<SyncOptions, "links" | "streams">,
): Promise<string[]> {
  const isWhole = status === "completed" || status === "completed_with_failures";
  if (links === null || !isWhole || users.failed > 0) return [];
  if (streams.includes(transactionStream.name)) return missingLinks(store, links, linkSyncs, run_id);
  const { name, table } = accountStream;
  return streams.includes(name) && isHistory(table) ? missingLinks(store, links, currentOf(table)) : [];
}

function brokenBy(
  rules: FailRules,
  store: ObjectStore,
  { run_id: runId, duration_ms }: SyncSummary,
  judged: { readonly users: ReadonlySet<string>; readonly only: readonly string[] | null },
): Promise<BrokenRule[]> {
  const { quarantine, skipped, idConflicts, staleMs } = rules;
  const run = { runId, startedAt: Date.now() - duration_ms, ...judged };
  return withLakeReader(store, async (lake) => {
    const open = quarantine ? await openQuarantine(lake) : { rows: 0, owners: [] };
    return brokenRules(rules, {
      open: { rows: open.rows, owners: open.owners.map(({ owner }) => owner) },
      skipped: skipped ? await linksOfRun(lake, run, "status = 'skipped'") : [],
      idConflicts: idConflicts ? await linksOfRun(lake, run, "id_conflicts > 0") : [],
      stale: staleMs === null ? [] : await staleLinks(lake, { ...run, since: Date.now() - staleMs }),
    });
  });
}

export function ruleInWords({ rule, count, owners, owners_total }: BrokenRule): string {
  const what = rule === "quarantine" ? "open row" : "link";
  const named = owners_total > owners.length ? [...owners, "…"] : owners;
  return `exit 1 by --fail-on ${rule}: ${counted(count, what)} (${named.join(", ")})`;
}
