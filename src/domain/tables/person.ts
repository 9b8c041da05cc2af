/** A person, by all ids that tables connect. */
export interface Person {
  /** The given id, where no table has a user for it. */
  readonly fpId: string;
  /** Those of no other user. */
  readonly externalIds: readonly string[];
  /** Rows of batches; the onboarding is null where none was posted. */
  readonly lines: readonly {
    readonly batch_id: string;
    readonly line: number;
    readonly onboarding_id: string | null;
  }[];
}
