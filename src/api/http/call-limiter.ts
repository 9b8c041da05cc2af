import {
  type CallPace,
  decideStart,
  earliestStart,
  type PaceLimits,
} from "../../domain/service/call-pace.js";
import { onAbort } from "./abort-listeners.js";
import { AuthError, NotSentError } from "./errors.js";
import type { SharedPause } from "./shared-pause.js";

/** Shared by all calls that need not wait. */
const STARTED = Promise.resolve();

interface WaitingCall {
  readonly operation: string;
  readonly signal?: AbortSignal | undefined;
  readonly run?: string | undefined;
  /** Epoch milliseconds: a call that can't start by then isn't sent. */
  readonly notAfter?: number | undefined;
}

interface Waiter {
  readonly call: WaitingCall;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
  deadline: NodeJS.Timeout | undefined;
  unlisten: (() => void) | undefined;
}

/**
 * Starts calls in order: at most `concurrency` at once and `rps` a second; none during a pause; none of a run whose
 * credentials were refused.
 */
export class CallLimiter {
  #pace: CallPace = { active: 0, pausedUntil: 0, nextAt: 0 };
  #closed = false;
  #timer: NodeJS.Timeout | undefined;
  readonly #queue = new Set<Waiter>();
  readonly #closedRuns = new Set<string>();
  readonly #limits: PaceLimits;

  constructor(
    concurrency: number,
    rps?: number,
    private readonly sharedPause?: SharedPause,
  ) {
    this.#limits = { concurrency, intervalMs: rps === undefined ? 0 : 1000 / rps };
  }

  /** Epoch milliseconds until which no call starts; undefined where there is no pause. */
  get pausedUntil(): number | undefined {
    const { pausedUntil } = this.#currentPace();
    return pausedUntil > Date.now() ? pausedUntil : undefined;
  }

  /** Waits until the call may start, then does the work in its place. */
  async run<R>(call: WaitingCall, work: () => Promise<R>): Promise<R> {
    await this.#enter(call);
    try {
      return await work();
    } finally {
      this.#pace = { ...this.#pace, active: this.#pace.active - 1 };
      this.#pump();
    }
  }

  /** Why a call that has started must not be sent after all. */
  stoppedBy(run: string | undefined): "run" | "pause" | undefined {
    if (run !== undefined && this.#closedRuns.has(run)) return "run";
    return this.pausedUntil === undefined ? undefined : "pause";
  }

  /** Lets no call start before `until` (epoch milliseconds), and rejects at once those that can't wait for it. */
  pauseUntil(until: number): void {
    if (until <= this.#pace.pausedUntil) return;
    this.sharedPause?.extend(until);
    this.#applyPause(until);
  }

  closeRun(run: string): void {
    this.#closedRuns.add(run);
    this.#rejectWaiting(({ call }) => (call.run === run ? refusedRun(call) : undefined));
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#rejectWaiting(({ call }) => new NotSentError(call.operation));
  }

  #currentPace(): CallPace {
    const until = this.sharedPause?.until() ?? 0;
    if (until > this.#pace.pausedUntil) this.#applyPause(until);
    return this.#pace;
  }

  #applyPause(until: number): void {
    this.#pace = { ...this.#pace, pausedUntil: until };
    this.#rejectWaiting(({ call: { notAfter, operation } }) =>
      notAfter !== undefined && notAfter < until ? new NotSentError(operation, until) : undefined,
    );
  }

  #enter(call: WaitingCall): Promise<void> {
    const problem = this.#problemOf(call);
    if (problem !== undefined) return Promise.reject(problem);
    if (this.#queue.size === 0 && this.#starts()) return STARTED;
    return new Promise((resolve, reject) => {
      this.#enqueue(call, resolve, reject);
      this.#pump();
    });
  }

  #problemOf(call: WaitingCall): unknown {
    const { operation, signal, run, notAfter } = call;
    if (signal?.aborted) return signal.reason;
    if (this.#closed) return new NotSentError(operation);
    if (run !== undefined && this.#closedRuns.has(run)) return refusedRun(call);
    if (notAfter === undefined) return undefined;
    const now = Date.now();
    const start = earliestStart(this.#currentPace(), this.#limits, this.#queue.size, now);
    return start > notAfter ? new NotSentError(operation, start > now ? start : undefined) : undefined;
  }

  #enqueue(call: WaitingCall, resolve: () => void, reject: (reason: unknown) => void): void {
    const { signal, notAfter, operation } = call;
    const waiter: Waiter = { call, resolve, reject, deadline: undefined, unlisten: undefined };
    if (signal !== undefined) waiter.unlisten = onAbort(signal, () => this.#reject(waiter, signal.reason));
    if (notAfter !== undefined) {
      const late = () => this.#reject(waiter, new NotSentError(operation, this.pausedUntil));
      waiter.deadline = setTimeout(late, Math.max(1, notAfter - Date.now()));
    }
    this.#queue.add(waiter);
  }

  #dequeue(waiter: Waiter): void {
    this.#queue.delete(waiter);
    clearTimeout(waiter.deadline);
    waiter.unlisten?.();
  }

  #reject(waiter: Waiter, reason: unknown): void {
    this.#dequeue(waiter);
    waiter.reject(reason);
  }

  #rejectWaiting(reasonFor: (waiter: Waiter) => Error | undefined): void {
    for (const waiter of [...this.#queue]) {
      const reason = reasonFor(waiter);
      if (reason !== undefined) this.#reject(waiter, reason);
    }
  }

  #pump(): void {
    clearTimeout(this.#timer);
    for (const waiter of this.#queue) {
      if (!this.#starts()) return;
      this.#dequeue(waiter);
      waiter.resolve();
    }
  }

  // Takes a place, or sets a timer where only time is missing.
  #starts(): boolean {
    const now = Date.now();
    const decided = decideStart(this.#currentPace(), this.#limits, now);
    if (typeof decided === "object") {
      this.#pace = decided;
      return true;
    }
    if (typeof decided === "number") {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#pump(), decided - now);
    }
    return false;
  }
}

function refusedRun({ operation }: WaitingCall): AuthError {
  return new AuthError({ operation, sent: false });
}
