import type { RefusedRequest } from "../refusals.js";

export interface ImportedRows {
  readonly sent: number;
  readonly found: number;
  /** Indexes of rows whose fate is unknown: nothing tells whether a lost request imported them. */
  readonly unknown: readonly number[];
  /** Set where the service refused the request after it had taken a part of it. */
  readonly refused?: RefusedRequest & {
    /** Indexes of rows that are not in the link. */
    readonly missing: readonly number[];
  };
}
