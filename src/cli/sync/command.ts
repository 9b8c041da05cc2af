import { InputError } from "../../domain/failures.js";
import type { FailRules } from "../../domain/sync/fail-rules.js";
import type { SyncOptions } from "../../domain/sync/job.js";
import type { SyncSummary } from "../../domain/sync/sync-summary.js";
import type { StartedRun } from "../../intake/start-or-join.js";
import { readRoster } from "../../intake/sync/roster-file.js";
import { startSync } from "../../intake/sync/start.js";
import type { SyncResult } from "../../workflows/sync/sync.js";
import { missingWords } from "../lake/missing-links.js";
import type { JobSession } from "../session/job-session.js";
import { placeOf } from "../session/preflight.js";
import { type JobFlags, type NextRun, runJob } from "../shell/shell.js";
import type { Finished } from "../shell/summary.js";
import type { Terminal } from "../terminal/terminal.js";
import { judgeRun, ruleInWords } from "./fail-on.js";
import { askForgotten } from "./forget/forgotten-users.js";
import { syncRun } from "./form.js";
import { linksNotFound } from "./links-not-found.js";

export interface SyncFlags extends JobFlags {
  readonly restart?: boolean;
  readonly failOn?: FailRules;
  /** Reads users who were forgotten. */
  readonly again?: boolean;
}

/** @param next plans what the command runs after the sync */
export async function runSync(
  terminal: Terminal,
  rosterPath: string,
  options: SyncOptions,
  flags: SyncFlags,
  next?: () => Promise<NextRun>,
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
      const judge = (rules: FailRules, { run_id, duration_ms }: SyncSummary) =>
        judgeRun(store, rules, {
          runId: run_id,
          startedAt: Date.now() - duration_ms,
          users,
          only: options.links,
        });
      const start = async ({ preflight, temporal, signal }: JobSession) => {
        const at = { place: preflight.config.lake, store };
        await askForgotten(terminal, at, users, flags.again === true);
        const restart = flags.restart === true;
        const job = { ...placeOf(preflight), roster, options, restart, signal };
        return startSync(temporal.client, store, job);
      };
      const finish = async (result: SyncResult): Promise<Finished> => {
        const broken = failOn && !result.unauthorized ? await judge(failOn, result) : undefined;
        const missing = await linksNotFound(store, result, options);
        return {
          also: {
            ...(broken && { fail_on: broken }),
            ...(options.links && { links_not_found: missing }),
          },
          failed: missing.length + (broken?.length ?? 0) > 0,
          notes: [...(broken ?? []).map(ruleInWords), ...missingWords(missing)],
        };
      };
      const unjudged = options.links ? { links_not_found: [] } : {};
      const run = syncRun(terminal, start, { finish, unjudged });
      const afterStart: typeof run.afterStart = async (session, started) => {
        sayOtherSize(terminal, started, options);
        await run.afterStart?.(session, started);
      };
      const pingedUser = roster.rows[0]?.fp_id;
      return { pingedUser, run: { ...run, afterStart }, next: await next?.() };
    },
  });
}

function sayOtherSize(terminal: Terminal, { joined, memo }: StartedRun, { pageSize }: SyncOptions): void {
  const size = memo.pageSize;
  if (!joined || size === undefined || size === pageSize) return;
  terminal.say(
    `--page-size ${pageSize} is not used: the run that this command joined was started with ${size}`,
  );
}
