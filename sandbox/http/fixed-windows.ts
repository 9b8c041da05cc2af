import type { RecordedRequest } from "../calls.js";
import type { Clock } from "../clock.js";
import { Refusal } from "./answer.js";

/** How many calls of one operation fit into a window. */
export interface WindowLimits {
  /** About one link, user or business. */
  readonly subject: number;
  /** All of them together. */
  readonly app: number;
  readonly windowMs: number;
}

const DEFAULT_LIMITS: WindowLimits = { subject: 60, app: 1_000, windowMs: 60_000 };

/** Counts calls of each operation in fixed windows of the stand-in's clock, as the behaviour `limits` has it. */
export class FixedWindows {
  readonly #counts = new Map<string, number>();
  #window = 0;

  constructor(
    private readonly clock: Clock,
    private readonly limits: WindowLimits = DEFAULT_LIMITS,
  ) {}

  /** @throws Refusal 429: `Retry-After` says the window's end, in seconds for a subject and as a date for the app */
  check({ operation = "unknown", link, user, business }: RecordedRequest): void {
    const { subject, app, windowMs } = this.limits;
    const now = this.clock.now();
    const window = Math.floor(now / windowMs);
    if (window !== this.#window) this.#counts.clear();
    this.#window = window;
    const end = (window + 1) * windowMs;
    const about = link ?? user ?? business;
    if (about !== undefined && this.#count(`${operation} ${about}`) > subject)
      throw refusal(
        `more than ${subject} calls about one in a window`,
        String(Math.ceil((end - now) / 1000)),
      );
    // A date has whole seconds.
    const date = new Date(Math.ceil(end / 1000) * 1000).toUTCString();
    if (this.#count(operation) > app) throw refusal(`more than ${app} calls of an app in a window`, date);
  }

  #count(key: string): number {
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    return count;
  }
}

function refusal(message: string, retryAfter: string): Refusal {
  return new Refusal(429, "rate_limited", message, { "retry-after": retryAfter });
}
