import { dropStagingOf } from "../../intake/sync/start.js";
import { cancelRun } from "../session/cancel-run.js";
import type { Terminal } from "../terminal/terminal.js";
import { syncRun } from "./sync-run.js";

/** Cancels a running sync, or terminates it where it can't be cancelled. Returns the exit code. @throws InputError */
export async function cancelSync(terminal: Terminal, runId: string, json: boolean): Promise<number> {
  return cancelRun(terminal, json, {
    runId,
    runOf: (start) => syncRun(terminal, start),
    cleanUp: dropStagingOf,
  });
}
