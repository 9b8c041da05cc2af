import {
  type CallLine,
  type CallPace,
  decideStart,
  earliestStart,
  inTurn,
  type PaceLimits,
} from "../../domain/service/pace/call-pace.js";
import {
  type LearnedLimit,
  learn,
  learnRefusal,
  limitBelowMost,
  newLimit,
} from "../../domain/service/pace/learned-limit.js";
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
  /** Whether somebody else decides how long it takes. */
  readonly isLong?: boolean;
}

interface Line extends CallLine {
  readonly key: string;
  active: number;
  readonly waiters: Set<Waiter>;
}

interface Waiter {
  readonly call: WaitingCall;
  readonly line: Line;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
  deadline: NodeJS.Timeout | undefined;
  unlisten: (() => void) | undefined;
}

/**
 * Starts calls, those of a run in order and the runs in turn: at most `concurrency` at once and `rps` a second; none
 * during a pause; none of a run whose credentials were refused.
 */
export class CallLimiter {
  #pace: CallPace = { active: 0, long: 0, pausedUntil: 0, nextAt: 0 };
  #closed = false;
  #timer: NodeJS.Timeout | undefined;
  /** Those that were served longest ago come first. */
  readonly #lines = new Map<string, Line>();
  readonly #closedRuns = new Set<string>();
  #limits: PaceLimits;
  #learned: LearnedLimit | undefined;

  /** @param options `learns`: it finds out how many calls in flight the service bears, `concurrency` at most */
  constructor(
    concurrency: number,
    rps?: number,
    private readonly sharedPause?: SharedPause,
    options: { readonly learns?: boolean } = {},
  ) {
    this.#limits = paceOf(concurrency, rps);
    if (options.learns === true) this.#learn(newLimit(concurrency));
  }

  /** Calls in flight that the service bears, where that has been found to be fewer than it may have. */
  get learned(): number | undefined {
    return this.#learned && limitBelowMost(this.#learned);
  }

  /** Sets other limits; calls in flight stay. */
  limit(concurrency: number, rps: number | undefined): void {
    this.#limits = paceOf(concurrency, rps);
    this.#pump();
  }

  /** Epoch milliseconds until which no call starts; undefined where there is no pause. */
  get pausedUntil(): number | undefined {
    const { pausedUntil } = this.#currentPace();
    return pausedUntil > Date.now() ? pausedUntil : undefined;
  }

  /** Waits until the call may start, then does the work in its place. */
  async run<R>(call: WaitingCall, work: () => Promise<R>): Promise<R> {
    const line = this.#lineOf(call);
    await this.#enter(call, line);
    const begun = performance.now();
    try {
      return await work();
    } finally {
      const { active, long } = this.#pace;
      if (this.#learned !== undefined && !line.isLong && active >= this.#limits.concurrency) {
        this.#learn(learn(this.#learned, call.operation, performance.now() - begun));
      }
      this.#pace = { ...this.#pace, active: active - 1, long: long - Number(line.isLong) };
      line.active -= 1;
      this.#pump();
      this.#forgetIfEmpty(line);
    }
  }

  /** Why a call that has started must not be sent after all. */
  stoppedBy(run: string | undefined): "run" | "pause" | undefined {
    if (run !== undefined && this.#closedRuns.has(run)) return "run";
    return this.pausedUntil === undefined ? undefined : "pause";
  }

  refused(): void {
    if (this.#learned !== undefined) this.#learn(learnRefusal(this.#learned));
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

  #learn(learned: LearnedLimit): void {
    this.#learned = learned;
    this.#limits = { ...this.#limits, concurrency: learned.limit };
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

  #lineOf({ run = "", isLong = false }: WaitingCall): Line {
    const key = `${run} ${isLong}`;
    return this.#lines.get(key) ?? { key, isLong, active: 0, waiters: new Set() };
  }

  #enter(call: WaitingCall, line: Line): Promise<void> {
    const problem = this.#problemOf(call, line);
    if (problem !== undefined) return Promise.reject(problem);
    this.#lines.set(line.key, line);
    if (this.#waiting().length === 0 && this.#starts(line)) return STARTED;
    return new Promise((resolve, reject) => {
      this.#enqueue(call, line, resolve, reject);
      this.#pump();
    });
  }

  #problemOf(call: WaitingCall, { waiters }: Line): unknown {
    const { operation, signal, run, notAfter } = call;
    if (signal?.aborted) return signal.reason;
    if (this.#closed) return new NotSentError(operation);
    if (run !== undefined && this.#closedRuns.has(run)) return refusedRun(call);
    if (notAfter === undefined) return undefined;
    const now = Date.now();
    const start = earliestStart(this.#currentPace(), this.#limits, waiters.size, now);
    return start > notAfter ? new NotSentError(operation, start > now ? start : undefined) : undefined;
  }

  #enqueue(call: WaitingCall, line: Line, resolve: () => void, reject: (reason: unknown) => void): void {
    const { signal, notAfter, operation } = call;
    const waiter: Waiter = { call, line, resolve, reject, deadline: undefined, unlisten: undefined };
    if (signal !== undefined) waiter.unlisten = onAbort(signal, () => this.#reject(waiter, signal.reason));
    if (notAfter !== undefined) {
      const late = () => this.#reject(waiter, new NotSentError(operation, this.pausedUntil));
      waiter.deadline = setTimeout(late, Math.max(1, notAfter - Date.now()));
    }
    line.waiters.add(waiter);
  }

  #dequeue(waiter: Waiter): void {
    waiter.line.waiters.delete(waiter);
    clearTimeout(waiter.deadline);
    waiter.unlisten?.();
  }

  #reject(waiter: Waiter, reason: unknown): void {
    this.#dequeue(waiter);
    this.#forgetIfEmpty(waiter.line);
    waiter.reject(reason);
  }

  #rejectWaiting(reasonFor: (waiter: Waiter) => Error | undefined): void {
    for (const waiter of this.#waiting().flatMap(({ waiters }) => [...waiters])) {
      const reason = reasonFor(waiter);
      if (reason !== undefined) this.#reject(waiter, reason);
    }
  }

  #pump(): void {
    clearTimeout(this.#timer);
    while (this.#startsNext());
  }

  #startsNext(): boolean {
    for (const line of inTurn(this.#waiting())) {
      const [waiter] = line.waiters;
      if (waiter === undefined || !this.#starts(line)) continue;
      this.#dequeue(waiter);
      waiter.resolve();
      return true;
    }
    return false;
  }

  // Takes a place, or sets a timer where only time is missing.
  #starts(line: Line): boolean {
    const now = Date.now();
    const decided = decideStart(this.#currentPace(), this.#limits, line.isLong, now);
    if (typeof decided === "object") {
      this.#pace = decided;
      line.active += 1;
      this.#lines.delete(line.key);
      this.#lines.set(line.key, line);
      return true;
    }
    if (typeof decided === "number") {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#pump(), decided - now);
    }
    return false;
  }

  #waiting(): Line[] {
    return [...this.#lines.values()].filter(({ waiters }) => waiters.size > 0);
  }

  #forgetIfEmpty({ key, active, waiters }: Line): void {
    if (active === 0 && waiters.size === 0) this.#lines.delete(key);
  }
}

function paceOf(concurrency: number, rps: number | undefined): PaceLimits {
  return { concurrency, intervalMs: rps === undefined ? 0 : 1000 / rps };
}

function refusedRun({ operation }: WaitingCall): AuthError {
  return new AuthError({ operation, sent: false });
}
