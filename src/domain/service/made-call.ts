/** A call that has ended; times in seconds. */
export interface MadeCall {
  readonly operation: string;
  /** HTTP status, or the name of the error. */
  readonly status: string;
  readonly seconds: number;
  /** For its turn: pace, places and pauses. */
  readonly waitedSeconds: number;
  /** Of the answer's body; 0 where it is not used. */
  readonly bytes: number;
  /** Members of the answer that the contract does not have. */
  readonly newFields: readonly string[];
}
