/** A person, by all ids that the tables connect. */
export interface Person {
  /** The id that was given, where no table knows a user by it. */
  readonly fpId: string;
  /** Those that no other user has. */
  readonly externalIds: readonly string[];
  /** The person's rows of batches; the onboarding is null where none was posted. */
  readonly lines: readonly {
    readonly batch_id: string;
    readonly line: number;
    readonly onboarding_id: string | null;
  }[];
}
