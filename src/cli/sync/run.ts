import type { SyncOptions } from "../../domain/sync/job.js";
import { readRoster } from "../../intake/sync/roster-file.js";
import { startSync } from "../../intake/sync/start.js";
import { type JobFlags, runJob } from "../session/run-job.js";
import type { Terminal } from "../terminal/terminal.js";
import { syncRun } from "./sync-run.js";

/** Flags of a sync that are none of its job. */
export interface SyncFlags extends JobFlags {
  readonly restart?: boolean;
}

/** Runs or joins a sync and waits for its end; the exit code. */
export async function runSync(
  terminal: Terminal,
  rosterPath: string,
  options: SyncOptions,
  flags: SyncFlags,
): Promise<number> {
  return runJob(terminal, flags, {
    async read() {
      const roster = await readRoster(rosterPath);
      for (const warning of roster.warnings) terminal.say(`warning: ${warning}`);
      return roster;
    },
    async plan(_, roster) {
      const run = syncRun(terminal, ({ preflight: { scope, taskQueue, store }, temporal }) => {
        const restart = flags.restart === true;
        return startSync(temporal.client, store, { scope, taskQueue, roster, options, restart });
      });
      return { pingedUser: roster.rows[0]?.fp_id, run };
    },
  });
}
