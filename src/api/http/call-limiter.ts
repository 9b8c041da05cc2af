import { setMaxListeners } from "node:events";
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

interface Waiter extends Turn {
  readonly admit: () => void;
  readonly refuse: (reason: unknown) => void;
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
  readonly #queue: Waiter[] = [];
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
    if (this.#queue.length === 0 && this.#mayStart()) return ADMITTED;
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
      if (waiter.notAfter !== undefined && waiter.notAfter < until) {
        waiter.refuse(new NotSentError(waiter.operation, until));
      }
    }
  }

  /** Lets no call of this run start any more. */
  closeRun(run: string): void {
    this.#closedRuns.add(run);
    for (const waiter of [...this.#queue]) {
      if (waiter.run === run) waiter.refuse(new AuthError({ operation: waiter.operation, sent: false }));
    }
  }

  /** Refuses everything that waits and everything that comes. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    for (const waiter of [...this.#queue]) waiter.refuse(new NotSentError(waiter.operation));
  }

  #refusal(turn: Turn): unknown {
    if (turn.signal?.aborted) return turn.signal.reason;
    if (this.#closed) return new NotSentError(turn.operation);
    if (turn.run !== undefined && this.#closedRuns.has(turn.run)) {
      return new AuthError({ operation: turn.operation, sent: false });
    }
    if (turn.notAfter === undefined) return undefined;
    const now = Date.now();
    const start = this.#earliest(now, this.#queue.length);
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
    let deadline: NodeJS.Timeout | undefined;
    const onAbort = () => waiter.refuse(turn.signal?.reason);
    const dequeue = () => {
      const index = this.#queue.indexOf(waiter);
      if (index >= 0) this.#queue.splice(index, 1);
      clearTimeout(deadline);
      turn.signal?.removeEventListener("abort", onAbort);
    };
    const waiter: Waiter = {
      ...turn,
      admit: () => {
        dequeue();
        resolve();
      },
      refuse: (reason) => {
        dequeue();
        reject(reason);
      },
    };
    if (turn.signal !== undefined) {
      // One signal serves all calls of an activity: more listeners than Node's leak warning expects.
      setMaxListeners(0, turn.signal);
      turn.signal.addEventListener("abort", onAbort, { once: true });
    }
    if (turn.notAfter !== undefined) {
      const late = () => waiter.refuse(new NotSentError(turn.operation, this.gateUntil));
      deadline = setTimeout(late, Math.max(1, turn.notAfter - Date.now()));
    }
    this.#queue.push(waiter);
  }

  #pump(): void {
    clearTimeout(this.#timer);
    while (this.#queue.length > 0 && this.#mayStart()) this.#queue[0]?.admit();
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
