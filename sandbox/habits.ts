/**
 * Limits and habits of the service that its contract leaves open (docs/reference/service.md, "What is not documented").
 */
export interface ServiceHabits {
  /** Largest `size` of a sync; above it 400. */
  readonly maxSyncSize: number;
  /** `size` of a sync that gives none. */
  readonly defaultSyncSize: number;
  /** Whether a sync without cursor replays the log as it is, or its compacted form. */
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
   * What an import makes of a `transaction_id` that its link has already: a second row under an id of its own,
   * an update of the row, nothing, or a 400. The contract does not say that the id is looked at, so the default
   * is the worst for who relies on it.
   */
  readonly importDuplicates: "double" | "update" | "ignore" | "refuse";
  /** Whether a client token without `fields` opens none of them or all. */
  readonly tokenWithoutFields: "none" | "all";
}

/** The habits that may be given at the start. */
export type HabitOptions = Partial<ServiceHabits>;

/** Fills in what is not given. */
export function habitsOf(options: HabitOptions): ServiceHabits {
  return {
    maxSyncSize: options.maxSyncSize ?? 500,
    defaultSyncSize: options.defaultSyncSize ?? 100,
    history: options.history ?? "log",
    latencyMs: options.latencyMs ?? 0,
    onboardingPages: options.onboardingPages ?? { size: 10, maximum: 100, first: 1 },
    maxUploadBytes: options.maxUploadBytes ?? 64 * 1024 * 1024,
    maxImportRows: options.maxImportRows ?? 1_000,
    importDuplicates: options.importDuplicates ?? "double",
    tokenWithoutFields: options.tokenWithoutFields ?? "none",
  };
}
