import { activityInfo, cancellationSignal } from "@temporalio/activity";
import { readAnswer } from "../api/http/answer.js";
import type { CallOptions } from "../api/http/call-options.js";
import type { ApiClient } from "../api/http/client.js";
import { ApiError, NotSentError, RateLimitedError } from "../api/http/errors.js";
import type { Reply } from "../api/http/exchange.js";
import type { Operation, ParamsOf } from "../api/operations/operation.js";
import { mapConcurrent } from "../domain/concurrent-work.js";
import { added, NO_CALLS, type SentCalls } from "../domain/counts.js";
import type { CallGate } from "../domain/waiting.js";
import type { Dependencies } from "./dependencies.js";
import { connectionsFree } from "./event-loop.js";

/** Bytes after which a slice ends, so that loading keeps up with reading and staging stays small. */
const SLICE_BYTES = 16 * 1024 * 1024;

/** Owners per allowed call: while one waits for its answer, another's page is parsed and staged. */
const LANES_PER_CALL = 2;

interface SliceBudget {
  readonly runId: string;
  readonly budgetMs: number;
}

/** True in a second or later attempt: an earlier one may have staged something. */
export function isRepeated(): boolean {
  return activityInfo().attempt > 1;
}

/** What the owners of one slice share: time, calls, cancellation. Its time begins when it is constructed. */
export class Slice<D extends Dependencies = Dependencies> {
  /** The activity's dependencies, wrapped so that their calls are counted. */
  readonly deps: D;
  /** Epoch milliseconds after which no call leaves. */
  readonly deadline: number;
  readonly repeated = isRepeated();
  readonly #runId: string;
  readonly #signal = cancellationSignal();
  readonly #counted: CountedCalls<D>;
  #found = 0;
  #bytes = 0;

  constructor(deps: D, { runId, budgetMs }: SliceBudget) {
    this.#runId = runId;
    this.#counted = countedCalls(deps);
    this.deps = this.#counted.deps;
    this.deadline = Date.now() + budgetMs;
  }

  /** Calls made so far, with those of lost attempts whose answers this attempt found in staging. */
  get sent(): SentCalls {
    const { calls, answer_bytes } = this.#counted.sent;
    return { calls: calls + this.#found, answer_bytes };
  }

  /** How its calls got on so far. */
  get gate(): CallGate {
    const { learnedLimit } = this.deps.api;
    const learned = learnedLimit === undefined ? {} : { learnedLimit };
    const { foundNoPlace, gateUntil, pausedUntil } = this.#counted;
    return { foundNoPlace, gateUntil, pausedUntil, ...learned };
  }

  /** Whether another page may be requested: there is time, there is room for its bytes, and nobody has cancelled. */
  hasTime(): boolean {
    return !this.#signal.aborted && Date.now() < this.deadline && this.#bytes < SLICE_BYTES;
  }

  async call<O extends Operation>(
    operation: O,
    params: ParamsOf<O>,
    given?: Pick<CallOptions, "mayBeRefused">,
  ): Promise<Reply> {
    const options = { ...given, signal: this.#signal, run: this.#runId, notAfter: this.deadline };
    const reply = await this.deps.api.call(operation, params, options);
    await connectionsFree();
    return reply;
  }

  /** Counts a call of a lost attempt whose answer was found. */
  countFound(): void {
    this.#found += 1;
  }

  countBytes(bytes: number): void {
    this.#bytes += bytes;
  }
}

/** Works on owners, several at once; once {@link Slice.hasTime} is false, `work` still gets the others. */
export async function runSlice<D extends Dependencies, T, R>(
  deps: D,
  budget: SliceBudget,
  owners: readonly T[],
  work: (owner: T, slice: Slice<D>) => Promise<R>,
): Promise<{ results: R[] } & Pick<Slice, "sent" | "gate">> {
  const slice = new Slice(deps, budget);
  const lanes = LANES_PER_CALL * deps.concurrency;
  const results = await mapConcurrent(lanes, owners, (owner) => work(owner, slice));
  cancellationSignal().throwIfAborted();
  return { results, sent: slice.sent, gate: slice.gate };
}

interface CountedCalls<D extends Dependencies> extends Required<Pick<CallGate, "gateUntil" | "pausedUntil">> {
  readonly deps: D;
  readonly sent: SentCalls;
  /** Whether calls waited for a place until it was too late for them, and none was sent. */
  readonly foundNoPlace: boolean;
}

/** Counts the requests that one activity sends, failed ones too. No error message may quote what is `withheld`. */
export function countedCalls<D extends Dependencies>(deps: D, withheld?: unknown): CountedCalls<D> {
  let sent = NO_CALLS;
  let unplaced = 0;
  /** Latest ends of the pauses that calls met: of those of whole operations, and of all. */
  let [gate, pause] = [0, 0];
  const own = (options: CallOptions = {}) => (withheld === undefined ? options : { ...options, withheld });
  const met = (operation: Operation, error: ApiError) => {
    const now = Date.now();
    const asked = error instanceof RateLimitedError && !error.isFinal ? now + (error.retryAfterMs ?? 0) : 0;
    const paused = api.pausedMs(operation.name);
    if (paused > 0) gate = Math.max(gate, now + paused);
    pause = Math.max(pause, gate, asked);
  };
  const counted = async <R extends Pick<Reply, "bytes">>(
    operation: Operation,
    call: Promise<R>,
  ): Promise<R> => {
    try {
      const answer = await call;
      sent = added(sent, { calls: 1, answer_bytes: answer.bytes });
      return answer;
    } catch (error) {
      if (error instanceof ApiError && error.sent) sent = added(sent, { calls: 1 });
      if (error instanceof NotSentError && error.waitMs === undefined) unplaced += 1;
      if (error instanceof ApiError) met(operation, error);
      throw error;
    }
  };
  const { api } = deps;
  const client: ApiClient = {
    call: (operation, params, options) => counted(operation, api.call(operation, params, own(options))),
    download: (operation, params, sink, options) =>
      counted(operation, api.download(operation, params, sink, own(options))),
    read: async (operation, params, options) =>
      readAnswer(operation, await counted(operation, api.call(operation, params, own(options)))),
    close: () => api.close(),
    isKeyRefused: (options) => api.isKeyRefused(options),
    pausedMs: (operation) => api.pausedMs(operation),
    get learnedLimit() {
      return api.learnedLimit;
    },
    get serviceTime() {
      return api.serviceTime;
    },
    get clockAheadMs() {
      return api.clockAheadMs;
    },
  };
  return {
    deps: { ...deps, api: client },
    get sent() {
      return sent;
    },
    get gateUntil() {
      return gate > Date.now() ? gate : null;
    },
    get pausedUntil() {
      return pause > Date.now() ? pause : null;
    },
    get foundNoPlace() {
      return sent.calls === 0 && unplaced > 0;
    },
  };
}
