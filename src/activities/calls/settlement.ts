/** A write of an earlier attempt whose answer was lost. */
export interface LostCall {
  readonly operation: string;
  /** Epoch milliseconds at which it was first sent: by its sender's clock where `clockAheadMs` is known, else by ours. */
  readonly sentAt: number;
  /** Milliseconds that the service's clock was ahead of its sender's then, where that was known. */
  readonly clockAheadMs: number | null;
}

/** What looking for the effect of a lost call gave. */
export type Finding<P, A> =
  /** It took effect; this is as good as its answer. */
  | { readonly found: A }
  /** It did not, or not whole: these parameters ask for what is missing, and `complete` makes one answer of all. */
  | { readonly missing: P; readonly complete?: (answer: A) => A };

/** How a lost answer is settled without a second effect (docs/reference/api-operations.md). */
export type Settlement<P, A> =
  /**
   * It is sent again, with the service's own idempotency or harmless. `refused` says what a refusal of the
   * repetition means, where that may be the first request's own effect.
   */
  | { readonly rule: "again"; readonly refused?: (status: number) => { readonly found: A } | "unknown" }
  /** Its effect is looked for first. */
  | { readonly rule: "lookup"; readonly find: (lost: LostCall) => Promise<Finding<P, A>> }
  /** Nothing tells: it is never sent again by itself. */
  | { readonly rule: "unknown" };
