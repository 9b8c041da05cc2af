import type { Fault } from "./faults/fault.js";
import type { Population } from "./population/population.js";

/** How to start a stand-in; everything has a default. */
export interface SandboxOptions {
  /** Port on 127.0.0.1; 0, the default, takes a free one. */
  port?: number;
  /** Keys that are good at the start; the first is `apiKey`. */
  apiKeys?: readonly string[];
  /** Who is in the world; default: nobody. */
  population?: Population;
  /** The world's first day, YYYY-MM-DD. */
  today?: string;
  faults?: readonly Fault[];
  /** Milliseconds before each answer; default 0. */
  latencyMs?: number;
  /** Largest `size` of a sync; default 500. */
  maxSyncSize?: number;
  /** `size` of a sync that gives none; default 100. */
  defaultSyncSize?: number;
  /** Whether a sync without cursor replays the log as it is (default), or one row a transaction. */
  history?: "log" | "compacted";
  /** How many requests are kept for `requests()`; default 100,000; 0 keeps counts only (for benchmarks). */
  recordRequests?: number;
  /** What cursors are made with: stand-ins with the same secret and world read each other's cursors. */
  cursorSecret?: string;
}
