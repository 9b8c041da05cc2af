import {
  AnotherSubjectError,
  AuthError,
  NotFoundError,
  NotSentError,
  RateLimitedError,
  RejectedError,
  SchemaError,
  TransientError,
} from "../api/http/errors.js";
import { type TransientOutcome, USELESS_ANSWER } from "../domain/backoff.js";
import { anotherSubjectReason } from "../domain/failures.js";
import type { RefusedRequest } from "../domain/refusals.js";

/** What a failed read means for its owner, as an outcome of the state machines. */
type CallFailure =
  | { readonly kind: "open" }
  | TransientOutcome
  | ({ readonly kind: "rejected" } & RefusedRequest)
  | ({ readonly kind: "gone" } & RefusedRequest)
  | { readonly kind: "unauthorized" }
  | { readonly kind: "broken"; readonly reason: string };

/**
 * Turns what a call or the reading of its answer threw into an outcome.
 *
 * @throws the error itself when it does not come from the service: a full disk, a cancellation, a bug.
 */
export function callFailure(error: unknown): CallFailure {
  if (error instanceof NotSentError) return { kind: "open" };
  if (error instanceof AuthError) return { kind: "unauthorized" };
  if (error instanceof NotFoundError) return { kind: "gone", ...refusedBy(error) };
  if (error instanceof RejectedError) return { kind: "rejected", ...refusedBy(error) };
  if (error instanceof RateLimitedError) {
    return { kind: "transient", reason: "http_429", retryAfterMs: error.retryAfterMs ?? null };
  }
  if (error instanceof TransientError) {
    return { kind: "transient", reason: error.reason, retryAfterMs: error.retryAfterMs ?? null };
  }
  if (error instanceof SchemaError) {
    return {
      kind: "broken",
      reason: `schema ${error.path === "" ? "" : `${error.path}: `}${error.expectation}`,
    };
  }
  if (error instanceof AnotherSubjectError) {
    return { kind: "broken", reason: anotherSubjectReason(error.mismatch) };
  }
  // A body of the right length that is not JSON: something between us and the service sent half an answer.
  if (error instanceof SyntaxError) return { kind: "transient", reason: USELESS_ANSWER, retryAfterMs: null };
  throw error;
}

/** What the service refused, and its words. */
export function refusedBy({ status, said }: NotFoundError | RejectedError): RefusedRequest {
  return { status: status ?? 0, message: said ?? null };
}
