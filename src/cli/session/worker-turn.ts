import { setTimeout as sleep } from "node:timers/promises";
import { UnreachableError } from "../../domain/failures.js";
import { acquireLock } from "../../temporal/server/generation-lock.js";
import type { RunningWorker } from "../../worker.js";

/** A process's place in the line of those that may be the worker of a HOME and a task queue. */
interface WorkerTurn {
  readonly lost: Promise<never>;
  /** Stops the worker where this process is it, and lets the next one begin. */
  stop(): Promise<void>;
}

const POLL_MS = 250;
/** How often to try to start the worker: the server may be restarting when the turn comes. */
const MOST_STARTS = 30;
const START_AGAIN_MS = 1_000;

/**
 * Starts the worker in only one process of a HOME, and in the next when that one ends or is killed, because the limits
 * of the service are kept within a process (docs/inside/decisions/0023-one-worker-a-home.md). A suspended process, as
 * after Ctrl-Z, loses its turn to one that runs.
 *
 * @throws the error of the start, if it is this process's turn at once.
 */
export async function takeWorkerTurn(
  lockDirectory: string,
  start: () => Promise<RunningWorker>,
): Promise<WorkerTurn> {
  const over = new AbortController();
  const wait = { guards: "the worker", report: () => undefined, signal: over.signal };
  const takeLock = (waitMs: number) =>
    acquireLock(lockDirectory, { ...wait, waitMs, pollMs: POLL_MS, mustRenew: true });
  const begin = async (release: () => Promise<void>) => {
    const worker = await start().catch(async (error: unknown) => {
      await release();
      throw error;
    });
    const done = worker.done.finally(release);
    done.catch(() => undefined);
    return { worker, done };
  };
  const free = await takeLock(0).catch((error: unknown) => {
    if (!(error instanceof UnreachableError)) throw error;
    return undefined;
  });
  const waitForTurn = async () => {
    for (let starts = 1; ; starts += 1) {
      const release = await takeLock(Number.POSITIVE_INFINITY);
      try {
        return await begin(release);
      } catch (error) {
        if (starts === MOST_STARTS) throw error;
        await sleep(START_AGAIN_MS, undefined, { signal: over.signal });
      }
    }
  };
  const turn = free === undefined ? waitForTurn() : begin(free);
  if (free !== undefined) await turn;
  const lost = turn
    .then(({ done }) => done)
    .catch((error: unknown) => {
      if (!over.signal.aborted) throw error;
    })
    .then(() => new Promise<never>(() => undefined));
  lost.catch(() => undefined);
  return {
    lost,
    async stop() {
      over.abort(new Error("the command ends"));
      const begun = await turn.catch(() => undefined);
      await begun?.worker.stop();
      await begun?.done.catch(() => undefined);
    },
  };
}
