import type { RejectedError } from "../../api/http/errors.js";
import { checkRequest } from "../../api/http/request.js";
import type { Operation, ParamsOf } from "../../api/operations/operation.js";
import type { Dependencies } from "../dependencies.js";
import type { EarlierIntent } from "./call-record.js";

/**
 * Milliseconds to wait after a lost request before believing that it had no effect: the service may still work on it,
 * and a stalled attempt may still be about to send (`call-record.ts`).
 */
const MISSING_AFTER_MS = 10_000;

/** The service tells its time in whole seconds. */
const WHOLE_SECOND_MS = 1_000;

/** Says when the request was sent: by its sender and the service's clock, or else by the store, on our clock. */
export function lostCall({ name }: Operation, intent: EarlierIntent, storeTime: number): LostCall {
  const { at, clockAheadMs, storedAt } = intent;
  const sentAt = clockAheadMs === null ? Date.now() - (storeTime - storedAt) : at;
  return { operation: name, sentAt, clockAheadMs };
}

/**
 * Milliseconds since an intent by the clocks that both workers see, the store's and, where both know it, the
 * service's. The smaller one counts, so that a clock that jumps ahead makes no request look old.
 */
export function ageOf(intent: EarlierIntent, storeTime: number, { api }: Dependencies): number {
  const byStore = storeTime - intent.storedAt;
  if (intent.clockAheadMs === null || api.clockAheadMs === undefined) return Math.max(0, byStore);
  const byService = Date.now() + api.clockAheadMs - (intent.at + intent.clockAheadMs) + WHOLE_SECOND_MS;
  // A clock that was set back tells no age.
  const ages = [byStore, byService].filter((age) => age >= 0);
  return ages.length === 0 ? 0 : Math.min(...ages);
}

/** Milliseconds after the last intent before a request is believed to have had no effect. */
export function believedMissingAfter<O extends Operation>(operation: O, params: ParamsOf<O>): number {
  // A service that was asked to wait for a result may show the effect only after that wait.
  return MISSING_AFTER_MS + (operation.extraTimeoutMs?.(checkRequest(operation, params)) ?? 0);
}

export interface LostCall {
  readonly operation: string;
  /**
   * Epoch milliseconds at which it was first sent: by its sender's clock where `clockAheadMs` is known, else by ours.
   */
  readonly sentAt: number;
  /** Milliseconds that the service's clock was ahead of its sender's then, where that was known. */
  readonly clockAheadMs: number | null;
}

export type Finding<P, A> =
  /** It took effect; `found` is as good as its answer. */
  | { readonly found: A }
  /** It did not, or only in part: `missing` asks for the rest, and `complete` makes one answer of both. */
  | { readonly missing: P; readonly complete?: (answer: A) => A }
  /** That it was not found proves nothing: it is looked for so long after the first such look, then its fate is unknown. */
  | { readonly unsureForMs: number };

/** How a lost answer is resolved without a second effect (docs/reference/api-operations.md). */
export type Resolution<P, A> =
  /** Send it again: the operation is idempotent, or a second request does no harm. */
  | { readonly rule: "again" }
  /**
   * Look for its effect first. `refused` looks for what a request, or an earlier one that it repeats, did although it was
   * refused.
   */
  | {
      readonly rule: "lookup";
      readonly find: (lost: LostCall) => Promise<Finding<P, A>>;
      readonly refused?: (
        error: RejectedError,
        isRepeated: boolean,
      ) => Promise<{ readonly found: A } | undefined>;
    };
