import { GIVE_UP_AFTER_MS } from "../../domain/backoff.js";
import type { CallLimits, PacedCall, Pacer, SharedPause } from "../../domain/service/pace/pacer.js";
import { onAbort } from "./abort-listeners.js";
import { AuthError, NotSentError, RateLimitedError } from "./errors.js";

/** How old may be, when a call leaves, what is known of other processes. */
const LOOK_EVERY_MS = 1_000;

export interface QueuedCall extends PacedCall {
  readonly signal?: AbortSignal | undefined;
  readonly run?: string | undefined;
  /** Epoch milliseconds: a call that can't start by then isn't sent. */
  readonly notAfter?: number | undefined;
}

/** Calls that wait, each by what starts it, or rejects it with a reason. */
type Waiting = Map<(refusal?: Error) => void, QueuedCall>;

/** Starts calls as its pacer allows, those of a run in order and the runs in turn, until it is closed for them. */
export class CallQueue {
  #askShare: (() => Promise<CallLimits>) | undefined;
  #lookAt = 0;
  readonly #closedRuns = new Set<string | undefined>();
  /** The calls of each run, its long ones apart; those that were served longest ago come first. */
  readonly #lines = new Map<string, { readonly waiting: Waiting; active: number }>();
  #timer: NodeJS.Timeout | undefined;

  constructor(
    readonly pacer: Pacer,
    private readonly shared?: SharedPause,
  ) {}

  /** Has it ask, now and again before calls leave, what it may do. */
  async share(ask: () => Promise<CallLimits>): Promise<void> {
    this.pacer.limit(await ask());
    this.#askShare = ask;
  }

  /** Waits until the call may start, then does the work in its place. */
  async run<R>(call: QueuedCall, work: () => Promise<R>): Promise<R> {
    const key = `${call.run} ${call.isLong}`;
    const line = this.#lines.get(key) ?? { waiting: new Map() as Waiting, active: 0 };
    this.#lines.set(key, line);
    const unlisten = call.signal && onAbort(call.signal, () => this.#decide());
    await new Promise<void>((start, reject) => {
      line.waiting.set((refusal) => (refusal ? reject(refusal) : start()), call);
      this.#decide();
    }).finally(unlisten);
    try {
      await this.#look();
      return await work();
    } finally {
      line.active -= 1;
      this.pacer.giveBack(call);
      this.#decide();
    }
  }

  /** Rejects what waits and what comes: of a run whose key was refused, or of all. */
  close(run?: string): void {
    this.#closedRuns.add(run);
    this.#decide();
  }

  /** Why a call must not be sent at all. */
  refusal({ operation, subject, run, signal }: QueuedCall): Error | undefined {
    if (signal?.aborted) return signal.reason;
    if (this.#closedRuns.has(undefined)) return new NotSentError(operation);
    if (this.#closedRuns.has(run)) return new AuthError({ operation, sent: false });
    const pause = this.pacer.pausedUntil(operation, subject) - Date.now();
    return pause > GIVE_UP_AFTER_MS ? new RateLimitedError({ operation, sent: false }, pause) : undefined;
  }

  /** Obeys an answer 429 or 503, and tells others of a pause of everything. @param wait milliseconds, where it said so */
  refused(call: PacedCall, status: number, wait: number | undefined): void {
    const [now, before] = [Date.now(), this.pacer.pausedUntil()];
    this.pacer.refused(call, status, wait === undefined ? 0 : now + wait, now);
    const until = this.pacer.pausedUntil();
    if (until > before) this.shared?.write(String(until)).catch(() => undefined);
    this.#decide();
  }

  /** Looks what others do; where that can't be seen, what was seen last holds. */
  async #look(): Promise<void> {
    if (Date.now() < this.#lookAt) return;
    this.#lookAt = Date.now() + LOOK_EVERY_MS;
    this.pacer.limit((await this.#askShare?.().catch(() => undefined)) ?? this.pacer.limits);
    const end = Number(await this.shared?.read().catch(() => undefined));
    // No pause of everything outlasts the hour: such an end was written by a clock that is wrong.
    if (end <= Date.now() + GIVE_UP_AFTER_MS) this.pacer.pause(end);
  }

  /** Starts what may start, and rejects what can't in its time: whenever something has changed. */
  #decide(): void {
    clearTimeout(this.#timer);
    while (this.#decideNext());
  }

  /** Starts or rejects one call; false where there is none: then the timer is set for the next one. */
  #decideNext(): boolean {
    const now = Date.now();
    let wakeAt = Number.POSITIVE_INFINITY;
    for (const [key, line] of [...this.#lines].sort(([, one], [, other]) => one.active - other.active)) {
      if (line.active + line.waiting.size === 0) this.#lines.delete(key);
      for (const [turn, call] of line.waiting) {
        const { operation, notAfter = Number.POSITIVE_INFINITY } = call;
        const start = this.pacer.startOf(call, now);
        const isLate = start > notAfter || now >= notAfter;
        const late = isLate ? new NotSentError(operation, start > now ? start : undefined) : undefined;
        const refusal = this.refusal(call) ?? late;
        const starts = refusal === undefined && start <= now && this.pacer.take(call, now);
        if (refusal !== undefined || starts) {
          line.waiting.delete(turn);
          line.active += Number(starts);
          if (this.#lines.delete(key)) this.#lines.set(key, line);
          turn(refusal);
          return true;
        }
        wakeAt = Math.min(wakeAt, notAfter, start > now ? start : wakeAt);
      }
    }
    if (wakeAt < Number.POSITIVE_INFINITY)
      this.#timer = setTimeout(() => this.#decide(), Math.max(1, wakeAt - now));
    return false;
  }
}
