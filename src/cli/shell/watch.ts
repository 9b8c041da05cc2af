import { setTimeout as sleep } from "node:timers/promises";
import {
  isGrpcServiceError,
  WorkflowFailedError,
  type WorkflowHandle,
  WorkflowNotFoundError,
} from "@temporalio/client";
import { CancelledFailure, rootCause, TerminatedFailure } from "@temporalio/common";
import { UnreachableError } from "../../domain/failures.js";
import { failureKind, pendingFailuresOf, queryProgress } from "../../temporal/running-workflows.js";
import type { TemporalSession } from "../session/temporal-session.js";
import { aborted } from "../terminal/interruption.js";

const POLL_EVERY_MS = 500;
/** A user who stops the command does not wait longer for the last look at the run. */
const LAST_LOOK_MS = 1_000;
/** Temporal counts as lost after this long without an answer. */
const LOST_AFTER_MS = 120_000;

/** How a run ended, as far as this command saw it. */
export type RunEnd<Result> =
  | { readonly kind: "completed"; readonly result: Result }
  | { readonly kind: "halted" }
  | { readonly kind: "cancelled" }
  | { readonly kind: "failed"; readonly message: string }
  | { readonly kind: "interrupted" };

interface WatchOptions<Progress> {
  readonly signal: AbortSignal;
  onProgress(progress: Progress): void;
  isHalted(progress: Progress): boolean;
  onSilence(): void;
  /** Called once per kind of problem that holds the run up and that a user can fix, such as a full disk. */
  onFailure(words: string): void;
}

/**
 * Waits for a run and reports its progress meanwhile.
 *
 * @throws UnreachableError when Temporal is lost for good.
 */
export async function watchRun<Progress, Result>(
  temporal: TemporalSession,
  handle: WorkflowHandle,
  options: WatchOptions<Progress>,
): Promise<RunEnd<Result>> {
  const { signal } = options;
  let answered = Date.now();
  const told = new Set<string>();
  const end = new WatchEnd(temporal.lost, signal);
  while (!signal.aborted) {
    try {
      const run = await end.before(handle.describe());
      if (run === undefined) break;
      answered = Date.now();
      if (run.status.name !== "RUNNING") return await endOf(handle);
      const progress = await tellProgress(temporal, handle, options);
      if (progress !== undefined && options.isHalted(progress)) return { kind: "halted" };
      for (const words of await pendingFailuresOf(temporal.client, run)) {
        const kind = failureKind(words);
        if (!told.has(kind)) options.onFailure(words);
        told.add(kind);
      }
    } catch (error) {
      if (!isGrpcServiceError(error) || error instanceof WorkflowNotFoundError) throw error;
      if (Date.now() - answered > LOST_AFTER_MS) {
        throw new UnreachableError(
          `Temporal at ${temporal.server.address} has not answered for two minutes. The run's progress is saved; run the same command to continue it`,
          { cause: error },
        );
      }
    }
    await sleep(POLL_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
  // The run may have ended since it was last asked.
  const run = await temporal.client.connection
    .withDeadline(Date.now() + LAST_LOOK_MS, () => handle.describe())
    .catch(() => undefined);
  return run === undefined || run.status.name === "RUNNING" ? { kind: "interrupted" } : endOf(handle);
}

async function tellProgress<Progress>(
  temporal: TemporalSession,
  handle: WorkflowHandle,
  options: WatchOptions<Progress>,
): Promise<Progress | undefined> {
  try {
    const progress = await queryProgress<Progress>(temporal.client, handle);
    options.onProgress(progress);
    return progress;
  } catch {
    // In embedded mode this process is the worker, or a second one takes over within seconds.
    if (!temporal.embedded) options.onSilence();
    return undefined;
  }
}

async function endOf<Result>(handle: WorkflowHandle): Promise<RunEnd<Result>> {
  try {
    return { kind: "completed", result: (await handle.result()) as Result };
  } catch (error) {
    if (!(error instanceof WorkflowFailedError)) throw error;
    const { cause } = error;
    if (cause instanceof CancelledFailure || cause instanceof TerminatedFailure) return { kind: "cancelled" };
    return { kind: "failed", message: rootCause(cause) ?? error.message };
  }
}

/** Ends a command's watch from outside: Temporal is lost for good, or the user stops it. */
export class WatchEnd {
  #lost: { readonly error: unknown } | undefined;
  #stopped = false;
  readonly #waiting = new Set<() => void>();

  /** @param lost Rejects when Temporal is lost. */
  constructor(lost: Promise<never>, signal: AbortSignal) {
    lost.catch((error: unknown) => {
      this.#lost = { error };
      this.#wake();
    });
    void aborted(signal).then(() => {
      this.#stopped = true;
      this.#wake();
    });
  }

  /**
   * Returns the result of some work; undefined where the user stops first. `Promise.race` would keep each such result as
   * long as the promises that it is raced with stay open: megabytes per minute, for days.
   *
   * @throws the error by which Temporal was lost.
   */
  before<T>(work: Promise<T>): Promise<T | undefined> {
    return new Promise((resolve, reject) => {
      const end = () => {
        this.#waiting.delete(end);
        if (this.#lost !== undefined) reject(this.#lost.error);
        else resolve(undefined);
      };
      this.#waiting.add(end);
      work.then(resolve, reject).finally(() => this.#waiting.delete(end));
      if (this.#lost !== undefined || this.#stopped) end();
    });
  }

  #wake(): void {
    for (const end of [...this.#waiting]) end();
  }
}
