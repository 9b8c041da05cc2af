import { InputError } from "../../domain/failures.js";
import type { FailRules } from "../../domain/sync/fail-rules.js";
import type { SyncOptions } from "../../domain/sync/job.js";
import { readRoster } from "../../intake/sync/roster-file.js";
import { startSync } from "../../intake/sync/start.js";
import { type JobFlags, runJob } from "../session/run-job.js";
import type { Terminal } from "../terminal/terminal.js";
import { judgeRun } from "./fail-on.js";
import { syncRun } from "./sync-run.js";

/** Flags of a sync that are none of its job. */
export interface SyncFlags extends JobFlags {
  readonly restart?: boolean;
  /** What else than failures makes it exit with 1. */
  readonly failOn?: FailRules;
}

/** Runs or joins a sync and waits for its end; the exit code. */
export async function runSync(
  terminal: Terminal,
  rosterPath: string,
  options: SyncOptions,
  flags: SyncFlags,
): Promise<number> {
  const { failOn } = flags;
  if (failOn !== undefined && flags.detach)
    throw new InputError(
      "--fail-on is judged at the run's end, and --detach leaves before it. Leave one of them out.",
    );
  return runJob(terminal, flags, {
    async read() {
      const roster = await readRoster(rosterPath);
      for (const warning of roster.warnings) terminal.say(`warning: ${warning}`);
      return roster;
    },
    async plan({ store }, roster) {
      const users = new Set(roster.rows.map(({ fp_id }) => fp_id));
      const run = syncRun(
        terminal,
        ({ preflight: { scope, taskQueue }, temporal }) => {
          const restart = flags.restart === true;
          return startSync(temporal.client, store, { scope, taskQueue, roster, options, restart });
        },
        failOn &&
          (({ run_id, duration_ms }) => {
            const startedAt = Date.now() - duration_ms;
            return judgeRun(store, failOn, { runId: run_id, startedAt, users, only: options.links });
          }),
      );
      return { pingedUser: roster.rows[0]?.fp_id, run };
    },
  });
}
