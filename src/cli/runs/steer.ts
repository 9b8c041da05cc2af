import { InputError } from "../../domain/failures.js";
import { againWords } from "../../domain/run.js";
import { TRY_NOW } from "../../domain/waiting.js";
import { dropStagingOf } from "../../intake/sync/start.js";
import { giveUpRun } from "../../temporal/give-up.js";
import { signalRunning } from "../../temporal/running-workflows.js";
import { followFound, runningRun } from "../shell/found-run.js";
import type { RetryFlags } from "../shell/shell.js";
import type { JsonFlag } from "../terminal/colours.js";
import { exitCodeOfRun } from "../terminal/exit-code.js";
import type { Terminal } from "../terminal/terminal.js";
import { BATCHES, kindOf, RUN_KINDS } from "./kinds.js";
import { noRun, showRun } from "./show.js";
import { findRun } from "./view.js";

/**
 * Follows a run to its end, or shows one that has ended, with its exit code. In embedded mode it works on the run
 * meanwhile.
 *
 * @throws InputError where there is none of that id.
 */
export function watchRun(terminal: Terminal, id: string, flags: JsonFlag): Promise<number> {
  return followNamed(terminal, id, flags, false);
}

/** Has a run try now all that waits for its next try, and follows it as {@link watchRun} does. */
export function continueRun(terminal: Terminal, id: string, flags: JsonFlag): Promise<number> {
  return followNamed(terminal, id, flags, true);
}

async function followNamed(
  terminal: Terminal,
  id: string,
  { json = false }: JsonFlag,
  continues: boolean,
): Promise<number> {
  const kind = kindOf(id);
  const { ended, near } = await findRun(terminal, id);
  if (kind === undefined) throw noRun(id, near);
  if (ended !== undefined) {
    await showRun(terminal, id, { json });
    return exitCodeOfRun(ended, false);
  }
  return followFound(
    terminal,
    json,
    noRun(id, near),
    async ({ temporal: { client }, preflight: { scope, taskQueue } }) => {
      const found = await runningRun(client, taskQueue, id);
      if (found === undefined || !continues) return found;
      await signalRunning(client, kind.triedBy?.(scope) ?? found.handle.workflowId, TRY_NOW);
      return found;
    },
    { kind },
  );
}

/**
 * Cancels a run, or a batch's run, with what it has done, or terminates it where it can't be cancelled; the exit code.
 *
 * @throws InputError where it doesn't run.
 */
export async function cancelRun(terminal: Terminal, id: string, { json = false }: JsonFlag): Promise<number> {
  const kind = kindOf(id) ?? BATCHES;
  if (kind.cancel !== undefined) return kind.cancel(terminal, id, json);
  const missing = new InputError(
    `run ${id} is not running, so there is nothing to cancel. Nothing was changed.`,
  );
  return followFound(
    terminal,
    json,
    missing,
    async ({ temporal: { client }, preflight: { store, taskQueue } }) => {
      const running = await runningRun(client, taskQueue, id);
      if (running === undefined) return undefined;
      terminal.say(`cancelling run ${id}`);
      await giveUpRun(client, running, kind.keepsStaging ? async () => undefined : dropStagingOf(store));
      return running;
    },
    { kind, isNamed: true },
  );
}

/** Runs again what failed in a run, or in a batch. Returns the exit code. @throws InputError */
export async function retryRun(terminal: Terminal, id: string, flags: RetryFlags): Promise<number> {
  const kind = kindOf(id);
  if (flags.sendUnknown && !kind?.mayBeUnsure) {
    const kinds = RUN_KINDS.filter(({ mayBeUnsure }) => mayBeUnsure).map(({ kind }) => kind);
    throw new InputError(
      `--send-unknown is for runs of ${kinds.join(" and ")} only. Nothing was started. Leave it out.`,
    );
  }
  const { ended } = kind === undefined ? {} : await findRun(terminal, id);
  if (ended?.reason === "not_begun")
    throw new InputError(
      `run ${id} did not begin: ${ended.message} There is nothing to retry; ${againWords(ended, { run_id: id, schedule: ended.schedule })}`,
    );
  return (kind ?? BATCHES).retry(terminal, id, flags);
}
