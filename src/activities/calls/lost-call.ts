import type { RejectedError } from "../../api/http/errors.js";
import { checkRequest } from "../../api/http/request.js";
import type { Operation, ParamsOf } from "../../api/operations/operation.js";
import type { Dependencies } from "../dependencies.js";
import type { CallIntent, EarlierIntent } from "./call-record.js";

/** Until then the service may still work on a request, and a stalled attempt may be about to send it. */
const MISSING_AFTER_MS = 10_000;

/** The service tells its time in whole seconds. */
const WHOLE_SECOND_MS = 1_000;

/** When a request was sent: by its sender and the service's clock, or else by the store, on our clock. */
export function requestOf({ storedAt, ...intent }: EarlierIntent, storeTime: number): CallIntent {
  return intent.clockAheadMs === null ? { ...intent, at: Date.now() - (storeTime - storedAt) } : intent;
}

/** Milliseconds since an intent by the store's clock or the service's: the less, as one that jumps ahead makes it old. */
export function ageOf(intent: EarlierIntent, storeTime: number, { api }: Dependencies): number {
  const byStore = storeTime - intent.storedAt;
  if (intent.clockAheadMs === null || api.clockAheadMs === undefined) return Math.max(0, byStore);
  const byService = Date.now() + api.clockAheadMs - (intent.at + intent.clockAheadMs) + WHOLE_SECOND_MS;
  // A clock that was set back tells no age.
  const ages = [byStore, byService].filter((age) => age >= 0);
  return ages.length === 0 ? 0 : Math.min(...ages);
}

/** Milliseconds after the last intent until a request counts as without effect. */
export function believedMissingAfter<O extends Operation>(operation: O, params: ParamsOf<O>): number {
  // A service that was asked to wait for a result may show the effect only after that wait.
  return MISSING_AFTER_MS + (operation.extraTimeoutMs?.(checkRequest(operation, params)) ?? 0);
}

export type Finding<P, A> =
  /** It took effect; `effect` is as good as its answer. */
  | { readonly effect: A }
  /** It did not, or in part: `missing` is the rest, and `complete` makes one answer of both. */
  | { readonly missing: P; readonly complete?: (answer: A) => A }
  /** That proves nothing: it is looked for so long after the first such look, then its fate is unknown. */
  | { readonly unsureForMs: number };

/** How a lost answer is resolved without a second effect (docs/reference/api-operations.md). */
export type Resolution<P, A> =
  /** Send it again: the operation is idempotent, or a second request does no harm. */
  | { readonly rule: "again" }
  /** Look for its effect first; by `refused`, also for that of a request that was refused. */
  | {
      readonly rule: "lookup";
      readonly find: (lost: CallIntent) => Promise<Finding<P, A>>;
      readonly refused?: (
        error: RejectedError,
        isRepeated: boolean,
      ) => Promise<{ readonly effect: A } | undefined>;
    };
