export interface LostCall {
  readonly operation: string;
  /**
   * Epoch milliseconds at which it was first sent: by its sender's clock where `clockAheadMs` is known, else by ours.
   */
  readonly sentAt: number;
  /** Milliseconds that the service's clock was ahead of its sender's then, where that was known. */
  readonly clockAheadMs: number | null;
}

/** What a search for the effect of a lost call found. */
export type Finding<P, A> =
  /** It took effect; `found` is as good as its answer. */
  | { readonly found: A }
  /** It did not, or only in part: `missing` asks for the rest, and `complete` makes one answer of both. */
  | { readonly missing: P; readonly complete?: (answer: A) => A };

/** How a lost answer is resolved without a second effect (docs/reference/api-operations.md). */
export type Resolution<P, A> =
  /**
   * Send it again: the operation is idempotent, or a second request does no harm. `refused` says what it means if the
   * service refuses the repetition, which the first request itself may have caused.
   */
  | { readonly rule: "again"; readonly refused?: (status: number) => { readonly found: A } | "unknown" }
  /** Look for its effect first. */
  | { readonly rule: "lookup"; readonly find: (lost: LostCall) => Promise<Finding<P, A>> }
  /** Nothing tells whether it took effect: never send it again. */
  | { readonly rule: "unknown" };
