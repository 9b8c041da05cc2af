import { SERVICE_RETRY } from "../../backoff.js";

export interface PacedCall {
  readonly operation: string;
  /** The link or user that it is about; empty for none. */
  readonly subject: string;
  /** Somebody else decides how long it takes: a proxy's target, the sender of a file. */
  readonly isLong: boolean;
}

/** Calls in flight, and calls started in a second; infinite for no limit. */
export interface CallLimits {
  readonly concurrency: number;
  readonly rps: number;
}

/** Fewer help less than the service's own pauses. */
const FEWEST_PLACES = 4;
/** Timers fire late, which would lower the rate. */
const RATE_SLACK_MS = 10;

/**
 * Says which calls may start, and when (docs/run/configuration.md, "Rate and pauses"). A call waits for the end of its pauses
 * and for its turn by the rate, takes a place, and gives it back. Times are milliseconds of any one clock.
 *
 * - Places: `concurrency`; long calls leave a quarter to the others. A 429 halves them, unless it pauses one subject alone;
 *   they grow by one each round: as many calls as places, all of them taken.
 * - Pauses: a refusal with `Retry-After` pauses its operation for its subject. A second subject refused within that pause
 *   pauses the operation, and a second operation within that one everything, until the earlier end. A pause that outlasts
 *   the give-up hour ends what meets it, so it stays with its subject.
 */
export class Pacer {
  #active = 0;
  #long = 0;
  /** Start of the next call by the rate. */
  #nextAt = 0;
  #places: number;
  /** Calls that end before the places change: those in flight at the last change, then a round. */
  #left = 0;
  /** Ends by `operation/subject`, `operation/`, or `/` for everything. */
  readonly #pauses = new Map<string, number>();

  constructor(public limits: CallLimits) {
    this.#places = limits.concurrency;
  }

  limit(limits: CallLimits): void {
    this.#places = Math.min(this.learned ?? limits.concurrency, limits.concurrency);
    this.limits = limits;
  }

  /** Places that 429s have left; undefined while they are all there. */
  get learned(): number | undefined {
    return this.#places < this.limits.concurrency ? this.#places : undefined;
  }

  /** The end of the pause of a call, of an operation, or of everything; 0 for none. */
  pausedUntil(operation = "", subject = ""): number {
    const endOf = (scope: string) => this.#pauses.get(scope) ?? 0;
    return Math.max(endOf("/"), endOf(`${operation}/`), endOf(`${operation}/${subject}`));
  }

  /** The earliest start by places and rate. */
  get freeAt(): number {
    return this.#active < this.#places ? Math.ceil(this.#nextAt - RATE_SLACK_MS) : Number.POSITIVE_INFINITY;
  }

  /** Takes a place for a call that starts now; false where there is none. */
  take({ isLong }: PacedCall, now: number): boolean {
    const forLong = Math.max(1, this.#places - Math.max(1, Math.floor(this.#places / 4)));
    if (this.freeAt > now || (isLong && this.#long >= forLong)) return false;
    this.#active += 1;
    this.#long += Number(isLong);
    this.#nextAt = Math.max(now, this.#nextAt) + 1_000 / this.limits.rps;
    return true;
  }

  giveBack({ isLong }: PacedCall): void {
    if (this.#left > this.#places || (!isLong && this.#active >= this.#places)) this.#left -= 1;
    if (this.#left <= 0 && this.learned !== undefined) this.#left = this.#places += 1;
    this.#active -= 1;
    this.#long -= Number(isLong);
  }

  /** Obeys an answer 429 or 503. @param until 0 for unknown */
  refused({ operation, subject }: PacedCall, status: number, until: number, now: number): void {
    for (const [scope, end] of [...this.#pauses]) {
      const [otherOperation, otherSubject] = scope.split("/");
      if (end <= now) this.#pauses.delete(scope);
      if (end <= now || Math.max(until, end) > now + SERVICE_RETRY.until) continue;
      const isAnother = otherSubject !== "" && otherSubject !== subject;
      if (otherOperation === operation && isAnother) this.pause(Math.min(until, end), operation);
      if (otherOperation !== operation && otherSubject === "") this.pause(Math.min(until, end));
    }
    this.pause(until, operation, subject);
    const isOfOne = until > now && this.pausedUntil(operation) <= now;
    // Refusals of calls that were in flight together count as one.
    if (status !== 429 || isOfOne || this.#left > this.#places) return;
    const fewer = Math.min(this.limits.concurrency, Math.max(FEWEST_PLACES, Math.floor(this.#places / 2)));
    this.#left = this.#places + fewer;
    this.#places = fewer;
  }

  pause(until: number, operation = "", subject = ""): void {
    this.#pauses.set(`${operation}/${subject}`, Math.max(until, this.pausedUntil(operation, subject)));
  }
}

/** The pause of everything that all workers share. */
export type SharedPause = { read(): Promise<Uint8Array | undefined>; write(pause: string): Promise<void> };

/**
 * The limits of one of a fleet's `workers`: its own or its share, whichever is less, and at least one call in flight.
 * One that `isNew` gets a twentieth of the rate and one place, since others may not have noticed it.
 */
export function shareOf(own: CallLimits, fleet: CallLimits, workers: number, isNew: boolean): CallLimits {
  const rate = fleet.rps * (isNew ? 0.05 : 0.95 / workers);
  const share = isNew ? 1 : Math.max(1, Math.floor((fleet.concurrency - 1) / workers));
  const places = Number.isFinite(fleet.concurrency) ? share : own.concurrency;
  return { concurrency: Math.min(own.concurrency, places), rps: Math.min(own.rps, rate) };
}
