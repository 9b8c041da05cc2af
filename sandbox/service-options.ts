/** What the service's contract leaves open (docs/reference/service.md, "What is not documented"). */
export interface ServiceOptions {
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
};
