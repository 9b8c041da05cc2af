import type { Behaviour } from "./behaviour.js";
import type { Fault } from "./faults/fault.js";
import type { WindowLimits } from "./http/fixed-windows.js";
import type { RateLimitOptions } from "./http/rate-limit.js";
import type { PlaybookOptions } from "./onboarding/playbook-store.js";
import type { Population } from "./population/population.js";
import type { NewProxy } from "./proxy/proxy-store.js";
import type { WebhookOptions } from "./webhooks/webhook-store.js";

/** What the service's contract leaves open (docs/reference/service.md, "What is not documented"). */
interface ServiceOptions {
  /** Largest `size` of a sync; above it 400. */
  readonly maxSyncSize: number;
  /** `size` of a sync that gives none. */
  readonly defaultSyncSize: number;
  /** Whether a sync without a cursor replays the log as it is, or its compacted form. */
  readonly history: "log" | "compacted";
  /** Milliseconds before each answer. */
  latencyMs: number;
  /** `page_size` of a list of onboardings that gives none, its maximum, and the number of its first page. */
  readonly onboardingPages: { readonly size: number; readonly maximum: number; readonly first: 0 | 1 };
  /** Largest upload in bytes; above it 413. */
  readonly maxUploadBytes: number;
  /** Most rows of one import; above it 400. */
  readonly maxImportRows: number;
  /**
   * What an import makes of a `transaction_id` that its link already has: a second row under a new id, an update of
   * the row, nothing, or a 400. The contract does not say that the service looks at the id, so the default is the
   * worst case for a caller that relies on it.
   */
  readonly importDuplicates: "double" | "update" | "ignore" | "refuse";
  /** Where it behaves otherwise than the contract says, or fills what the contract leaves open. */
  readonly behaves: ReadonlySet<Behaviour>;
}

export const DEFAULT_SERVICE_OPTIONS: ServiceOptions = {
  maxSyncSize: 500,
  defaultSyncSize: 100,
  history: "log",
  latencyMs: 0,
  onboardingPages: { size: 10, maximum: 100, first: 1 },
  maxUploadBytes: 64 * 1024 * 1024,
  maxImportRows: 1_000,
  importDuplicates: "double",
  behaves: new Set(),
};

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
  /** With the behaviour `limits`: how many calls fit into a window. */
  limits?: WindowLimits;
  /** Instead of the default ones. */
  playbooks?: readonly PlaybookOptions[];
  /** What users' vaults hold at the start; default: an invented identity each. */
  vaults?: "seeded" | "empty";
  /** Businesses at the start, `fp_bid_00001` and on; default 0. */
  businesses?: number;
  /** Onboardings of each of them at the start, onto `pb_kyb`; default 0. */
  businessOnboardings?: number;
  /** Seeded investment transactions of each link with an account; default 0. */
  investments?: number;
  proxies?: readonly NewProxy[];
  webhooks?: WebhookOptions;
}
