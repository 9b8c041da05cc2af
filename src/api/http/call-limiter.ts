import { onAbort } from "./abort-listeners.js";
import { AuthError, NotSentError } from "./errors.js";
import type { SharedPause } from "./shared-pause.js";

// Timers fire up to a millisecond late; without this slack the pace would stay below what was asked for.
const PACE_SLACK_MS = 10;

/** What a turn gets that need not wait: one for all of them. */
const ADMITTED = Promise.resolve();

/** How long and for whom a call waits for its turn. */
export interface Turn {
  readonly operation: string;
  readonly signal?: AbortSignal | undefined;
  readonly run?: string | undefined;
  /** Epoch milliseconds: a call that can't start by then isn't sent. */
  readonly notAfter?: number | undefined;
}

interface Waiter {
  readonly turn: Turn;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
  deadline: NodeJS.Timeout | undefined;
  unlisten: (() => void) | undefined;
}

/**
 * Decides when a call may start: first come, first served; at most `concurrency` at once and `rps` a second;
 * none while the gate is closed; none of a run whose credentials were refused.
 */
export class Admission {
  #active = 0;
  #closed = false;
  #gateUntil = 0;
  #paceAt = 0;
  #timer: NodeJS.Timeout | undefined;
  readonly #queue = new Set<Waiter>();
  readonly #closedRuns = new Set<string>();
  readonly #intervalMs: number;

  constructor(
    readonly concurrency: number,
    rps?: number,
    private readonly sharedPause?: SharedPause,
  ) {
    this.#intervalMs = rps === undefined ? 0 : 1000 / rps;
  }

  /** Epoch milliseconds until which no call starts; undefined while the gate is open. */
  get gateUntil(): number | undefined {
    this.#observePause();
    return this.#gateUntil > Date.now() ? this.#gateUntil : undefined;
  }

  /** Waits for a turn; every admitted turn must be followed by one {@link leave}. */
  enter(turn: Turn): Promise<void> {
    const refusal = this.#refusal(turn);
    if (refusal !== undefined) return Promise.reject(refusal);
    if (this.#queue.size === 0 && this.#mayStart()) return ADMITTED;
    return new Promise((resolve, reject) => {
      this.#enqueue(turn, resolve, reject);
      this.#pump();
    });
  }

  /** Gives the place of an admitted turn to the next one. */
  leave(): void {
    this.#active -= 1;
    this.#pump();
  }

  /** Why a turn that was admitted may not start after all: its run or the gate has closed meanwhile. */
  closedFor(run: string | undefined): "run" | "gate" | undefined {
    if (run !== undefined && this.#closedRuns.has(run)) return "run";
    return this.gateUntil === undefined ? undefined : "gate";
  }

  /** Lets no call start before `until` (epoch milliseconds), and refuses at once those that can't wait for it. */
  closeGate(until: number): void {
    if (until <= this.#gateUntil) return;
    this.sharedPause?.extend(until);
    this.#pauseUntil(until);
  }

  #observePause(): void {
    const until = this.sharedPause?.until() ?? 0;
    if (until > this.#gateUntil) this.#pauseUntil(until);
  }

  #pauseUntil(until: number): void {
    this.#gateUntil = until;
    for (const waiter of [...this.#queue]) {
      const { notAfter, operation } = waiter.turn;
      if (notAfter !== undefined && notAfter < until)
        this.#refuse(waiter, new NotSentError(operation, until));
    }
  }

  /** Lets no call of this run start any more. */
  closeRun(run: string): void {
    this.#closedRuns.add(run);
    for (const waiter of [...this.#queue]) {
      const { operation } = waiter.turn;
      if (waiter.turn.run === run) this.#refuse(waiter, new AuthError({ operation, sent: false }));
    }
  }

  /** Refuses everything that waits and everything that comes. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    for (const waiter of [...this.#queue]) this.#refuse(waiter, new NotSentError(waiter.turn.operation));
  }

  #refusal(turn: Turn): unknown {
    if (turn.signal?.aborted) return turn.signal.reason;
    if (this.#closed) return new NotSentError(turn.operation);
    if (turn.run !== undefined && this.#closedRuns.has(turn.run)) {
      return new AuthError({ operation: turn.operation, sent: false });
    }
    if (turn.notAfter === undefined) return undefined;
    const now = Date.now();
    const start = this.#earliest(now, this.#queue.size);
    return start > turn.notAfter
      ? new NotSentError(turn.operation, start > now ? start : undefined)
      : undefined;
  }

  // The earliest start of whoever has `ahead` calls before it, as far as gate and pace tell.
  #earliest(now: number, ahead: number): number {
    this.#observePause();
    const paced = Math.max(now, this.#paceAt) + ahead * this.#intervalMs;
    const slack = this.#intervalMs === 0 ? 0 : PACE_SLACK_MS;
    return Math.max(now, this.#gateUntil, Math.ceil(paced - slack));
  }

  #enqueue(turn: Turn, resolve: () => void, reject: (reason: unknown) => void): void {
    const { signal, notAfter } = turn;
    const waiter: Waiter = { turn, resolve, reject, deadline: undefined, unlisten: undefined };
    if (signal !== undefined) waiter.unlisten = onAbort(signal, () => this.#refuse(waiter, signal.reason));
    if (notAfter !== undefined) {
      const late = () => this.#refuse(waiter, new NotSentError(turn.operation, this.gateUntil));
      waiter.deadline = setTimeout(late, Math.max(1, notAfter - Date.now()));
    }
    this.#queue.add(waiter);
  }

  #dequeue(waiter: Waiter): void {
    this.#queue.delete(waiter);
    clearTimeout(waiter.deadline);
    waiter.unlisten?.();
  }

  #refuse(waiter: Waiter, reason: unknown): void {
    this.#dequeue(waiter);
    waiter.reject(reason);
  }

  #pump(): void {
    clearTimeout(this.#timer);
    for (const waiter of this.#queue) {
      if (!this.#mayStart()) return;
      this.#dequeue(waiter);
      waiter.resolve();
    }
  }

  // Takes a place where one is free and its time has come; else a timer looks again where only time is missing.
  #mayStart(): boolean {
    if (this.#active >= this.concurrency) return false;
    const now = Date.now();
    const start = this.#earliest(now, 0);
    if (start > now) {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#pump(), start - now);
      return false;
    }
    this.#active += 1;
    this.#paceAt = Math.max(now, this.#paceAt) + this.#intervalMs;
    return true;
  }
}
