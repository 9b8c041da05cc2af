import type { Clock } from "../clock.js";
import { Refusal } from "./answer.js";

/** How many requests a key may send. */
export interface RateLimitOptions {
  /** Requests a second; a whole second's worth may come at once. */
  perSecond: number;
  /** Seconds that `Retry-After` asks to wait; default: until one more is let through. `null` leaves the header out. */
  retryAfterSeconds?: number | null;
}

/** Lets each key's requests through at a rate, by a bucket that fills with the stand-in's clock. */
export class RateLimiter {
  readonly #buckets = new Map<string, { tokens: number; at: number }>();
  #options: RateLimitOptions | undefined;

  constructor(
    private readonly clock: Clock,
    options?: RateLimitOptions,
  ) {
    this.#options = options;
  }

  /** Sets another limit, or none; every key starts with a full bucket again. */
  set(options: RateLimitOptions | undefined): void {
    this.#options = options;
    this.#buckets.clear();
  }

  /** @throws Refusal 429 */
  check(key: string): void {
    const options = this.#options;
    if (!options) return;
    const now = this.clock.now();
    const bucket = this.#buckets.get(key) ?? { tokens: options.perSecond, at: now };
    this.#buckets.set(key, bucket);
    bucket.tokens = Math.min(
      options.perSecond,
      bucket.tokens + ((now - bucket.at) / 1000) * options.perSecond,
    );
    bucket.at = now;
    if (bucket.tokens >= 1) {
      bucket.tokens--;
      return;
    }
    const { retryAfterSeconds = Math.ceil((1 - bucket.tokens) / options.perSecond) } = options;
    const headers = retryAfterSeconds === null ? {} : { "retry-after": String(retryAfterSeconds) };
    throw new Refusal(429, "rate_limited", `more than ${options.perSecond} requests a second`, headers);
  }
}
