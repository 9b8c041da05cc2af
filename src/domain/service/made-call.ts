/** A call of the service that was sent and has ended; times in seconds. */
export interface MadeCall {
  readonly operation: string;
  /** HTTP status, or the name of the error where none came. */
  readonly status: string;
  readonly seconds: number;
  /** For its turn: pace, places and pauses. */
  readonly waitedSeconds: number;
  /** In the body of its answer; 0 where it gave none that counts. */
  readonly bytes: number;
  /** Names of members that its answer has, and that the contract does not. */
  readonly newFields: readonly string[];
}
