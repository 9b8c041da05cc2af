import { SERVICE_RETRY } from "../../domain/backoff.js";
import type { CallLimits, PacedCall, Pacer, SharedPause } from "../../domain/service/pace/pacer.js";
import { onAbort } from "./abort-listeners.js";
import type { CallOptions } from "./call-options.js";
import { AuthError, NotSentError, RateLimitedError } from "./errors.js";

export type QueuedCall = PacedCall & CallOptions;

/** Calls of one run, its long ones apart: those that wait, by what ends that (unstarted, with a reason), and the others. */
type Line = { readonly waiting: Map<(reason?: Error) => void, QueuedCall>; active: number };

/**
 * Starts calls as its pacer allows: those of a run in order, the runs in turn. It counts by the monotonic clock, so a clock
 * that is set changes no pause.
 */
export class CallQueue {
  #askShare: (() => Promise<CallLimits>) | undefined;
  #lookAt = 0;
  readonly #closedRuns = new Set<string | undefined>();
  /** Served longest ago first. */
  readonly #lines = new Map<string, Line>();
  #timer: NodeJS.Timeout | undefined;

  constructor(
    readonly pacer: Pacer,
    private readonly shared?: SharedPause,
  ) {}

  /** Asks now, and before calls leave, what it may do. */
  async share(ask: () => Promise<CallLimits>): Promise<void> {
    this.pacer.limit(await ask());
    this.#askShare = ask;
  }

  /** Waits until the call may start, then does the work in its place. */
  async run<R>(call: QueuedCall, work: () => Promise<R>): Promise<R> {
    const { operation, run, isLong, signal, notAfter } = call;
    const refusal = this.refusal(call);
    if (refusal !== undefined) throw refusal;
    const line: Line = this.#lines.get(`${run} ${isLong}`) ?? { waiting: new Map(), active: 0 };
    this.#lines.set(`${run} ${isLong}`, line);
    await new Promise<void>((start, reject) => {
      const end = (reason?: Error) => {
        line.waiting.delete(end);
        clearTimeout(timer);
        unlisten?.();
        reason === undefined ? start() : reject(reason);
      };
      const unlisten = signal && onAbort(signal, () => end(signal.reason));
      const late = () => end(new NotSentError(operation));
      const timer = notAfter === undefined ? undefined : setTimeout(late, notAfter - Date.now());
      line.waiting.set(end, call);
      this.#decide();
    });
    try {
      await this.#look();
      return await work();
    } finally {
      line.active -= 1;
      this.pacer.giveBack(call);
      this.#decide();
    }
  }

  /** Rejects what waits and what comes, of a run or of all. */
  close(run?: string): void {
    this.#closedRuns.add(run);
    this.#decide(true);
  }

  /** Why a call can't be sent, or not in its time. */
  refusal(call: QueuedCall): Error | undefined {
    const { operation, subject, run, signal, notAfter = Number.POSITIVE_INFINITY } = call;
    const wait = this.pausedMs(operation, subject);
    if (signal?.aborted) return signal.reason;
    if (this.#closedRuns.has(undefined)) return new NotSentError(operation);
    if (this.#closedRuns.has(run)) return new AuthError({ operation, sent: false });
    if (wait > SERVICE_RETRY.until) return new RateLimitedError({ operation, sent: false }, wait);
    const left = notAfter - Date.now();
    return wait <= left && left > 0 ? undefined : new NotSentError(operation, wait || undefined);
  }

  /** Obeys an answer 429 or 503, and tells other processes of a pause of everything. @param wait milliseconds */
  refused(call: PacedCall, status: number, wait: number | undefined): void {
    const [now, before] = [performance.now(), this.pausedMs()];
    this.pacer.refused(call, status, wait === undefined ? 0 : now + wait, now);
    const ms = this.pausedMs();
    if (ms > before) this.shared?.write(JSON.stringify({ ms, at: Date.now() })).catch(() => undefined);
    this.#decide(true);
  }

  /** Looks once a second what others do; where that can't be seen, what was seen last holds. */
  async #look(): Promise<void> {
    if (performance.now() < this.#lookAt) return;
    this.#lookAt = performance.now() + 1_000;
    this.pacer.limit((await this.#askShare?.().catch(() => undefined)) ?? this.pacer.limits);
    const pause = String(await this.shared?.read().catch(() => undefined));
    const [, ms, at] = /^\{"ms":([\d.]+),"at":(\d+)\}$/.exec(pause)?.map(Number) ?? [];
    // In this order: a sum with an instant would lose digits.
    const left = Number(ms) - (Date.now() - Number(at));
    // A longer one is of a clock that is ahead of this one; none outlasts the hour.
    if (left <= Math.min(Number(ms), SERVICE_RETRY.until)) this.pacer.pause(performance.now() + left);
  }

  /** Milliseconds of the pause of a call, an operation, or everything; 0 for none. */
  pausedMs(operation?: string, subject?: string): number {
    return Math.max(0, this.pacer.pausedUntil(operation, subject) - performance.now());
  }

  /** Starts what may start. @param all also ends what can't be sent any more */
  #decide(all = false): void {
    clearTimeout(this.#timer);
    while (this.#startNext(all));
  }

  #startNext(all: boolean): boolean {
    const now = performance.now();
    const { freeAt } = this.pacer;
    let wakeAt = freeAt > now ? freeAt : Number.POSITIVE_INFINITY;
    // Hundreds may wait, and most often only a place has come or gone.
    const lines = all || freeAt <= now ? [...this.#lines] : [];
    for (const [key, line] of lines.sort(([, one], [, other]) => one.active - other.active)) {
      if (line.active + line.waiting.size === 0) this.#lines.delete(key);
      for (const [end, call] of line.waiting) {
        const until = this.pacer.pausedUntil(call.operation, call.subject);
        const refusal = this.refusal(call);
        if (refusal !== undefined) end(refusal);
        else if (until > now) wakeAt = Math.min(wakeAt, until);
        else if (this.pacer.take(call, now)) {
          line.active += 1;
          this.#lines.delete(key);
          this.#lines.set(key, line);
          end();
          return true;
        }
      }
    }
    if (Number.isFinite(wakeAt)) this.#timer = setTimeout(() => this.#decide(), wakeAt - now);
    return false;
  }
}
