import type { Fault } from "./faults/fault.js";
import type { RateLimitOptions } from "./http/rate-limit.js";
import type { PlaybookOptions } from "./onboarding/playbook.js";
import type { Population } from "./population/population.js";
import type { NewProxy } from "./proxy/proxy-store.js";
import type { ServiceOptions } from "./service-options.js";
import type { WebhookOptions } from "./webhooks/webhook-store.js";

/** How to start a stand-in; everything has a default. */
export interface SandboxOptions extends Partial<ServiceOptions> {
  /** Port on 127.0.0.1; 0, the default, takes a free one. */
  port?: number;
  /** Keys that it accepts from the start; the first is `apiKey`. */
  apiKeys?: readonly string[];
  /** Who is in the world; default: nobody. */
  population?: Population;
  /** The world's first day, YYYY-MM-DD. */
  today?: string;
  faults?: readonly Fault[];
  /** How many requests are kept for `requests()`; default 100,000; 0 keeps counts only (for benchmarks). */
  recordRequests?: number;
  /** Signs cursors: stand-ins with the same secret and world accept each other's. */
  cursorSecret?: string;
  /** Seed of outcomes, identities, reports, insights, ids and tokens. */
  seed?: number | string;
  /** The time at the start (ISO 8601), and whether it is frozen; default: real time. */
  clock?: { now?: string; frozen?: boolean };
  /** Requests a second of each key; default: no limit. */
  rateLimit?: RateLimitOptions;
  /** Instead of the default ones. */
  playbooks?: readonly PlaybookOptions[];
  /** What users' vaults hold at the start; default: an invented identity each. */
  vaults?: "seeded" | "empty";
  /** Businesses at the start, `fp_bid_00001` and on; default 0. */
  businesses?: number;
  /** Seeded investment transactions of each link with an account; default 0. */
  investments?: number;
  proxies?: readonly NewProxy[];
  webhooks?: WebhookOptions;
}
