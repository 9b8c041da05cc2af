import type { ApiClient } from "../api/http/client.js";
import type { Lake } from "../lake/lake.js";
import type { SealedStore } from "../lake/store/sealed-store.js";
import type { Logger } from "../logger.js";
import type { Metrics } from "../temporal/metrics.js";
import type { RunWarnings } from "./run-warnings.js";

/** Dependencies of all activities, made once in `worker.ts`. */
export interface Dependencies {
  readonly api: ApiClient;
  readonly lake: Lake;
  /** The lake's staging area for customers' data and secrets. */
  readonly sealed: SealedStore;
  readonly log: Logger;
  /** Left out: nothing is counted. */
  readonly metrics?: Metrics | undefined;
  readonly warnings: RunWarnings;
  /** Calls in flight at most: also how many owners a slice advances at once. */
  readonly concurrency: number;
  /** Names this worker; left out where a run has no other. */
  readonly worker?: string | undefined;
  /** Called once a run has its row. */
  readonly runEnded?: (runId: string) => Promise<void>;
}
