import { ApplicationFailure, activityInfo, CancelledFailure } from "@temporalio/activity";
import { ApiError, NotSentError, RateLimitedError, TransientError } from "../api/http/errors.js";
import { InputError, StagingLostError } from "../domain/failures.js";
import { asFull, StoreFullError } from "../lake/store/local/local-store-errors.js";
import { LostAnswerError } from "./lost-answer-error.js";

/** Attempts on a full disk before giving up: about two minutes. */
const ATTEMPTS_WHEN_FULL = 8;
/**
 * Attempts at anything else before giving up: about an hour of them (`workflows/policies.ts`). A lost worker throws
 * nothing, so no number of them ends an activity.
 */
const MOST_ATTEMPTS = 120;
const WAIT_FOR_ROOM_MS = 10_000;
/** Errors in which DuckDB quotes values: no customer's data may get into histories, logs or summaries. */
const QUOTING = /^(Invalid Input|Conversion|Out of Range|Constraint) Error/;

/** On a full disk. `wait`: Temporal retries until there is room, because the service has done the work already. */
type WhenFull = "give up" | "wait";

/** Turns what an activity throws into the failure of histories: what is retried; `policies.ts` says how. */
export async function asActivityFailure<R>(
  activity: () => Promise<R>,
  whenFull: WhenFull = "give up",
  mostAttempts = MOST_ATTEMPTS,
): Promise<R> {
  try {
    return await activity();
  } catch (thrown) {
    if (thrown instanceof CancelledFailure || thrown instanceof ApplicationFailure) throw thrown;
    if (!(thrown instanceof Error)) throw thrown;
    const error = asFull(thrown) ?? thrown;
    if (error instanceof StoreFullError && whenFull === "wait") {
      throw failureOf(error, WAIT_FOR_ROOM_MS);
    }
    const kind = QUOTING.exec(error.message)?.[0];
    throw ApplicationFailure.create({
      type: error.name,
      message: kind === undefined ? error.message : `SQL refused a value (${kind}); nothing was published`,
      nonRetryable: isFinal(error) || hasLasted(error, mostAttempts),
      ...(kind === undefined && { cause: error }),
    });
  }
}

/**
 * Runs an activity that makes one call for its workflow, and turns what the service or the network did into a failure
 * whose type says what to do about it. Only what may succeed next time is retried, and not before the service allows.
 */
export function asCallFailure<R>(activity: () => Promise<R>, whenFull?: WhenFull): Promise<R> {
  // A write ends by its policy alone, after a day: nobody knows whether a call that was given up took effect.
  const mostAttempts = whenFull === "wait" ? MOST_ATTEMPTS : Number.POSITIVE_INFINITY;
  return asActivityFailure(
    async () => {
      try {
        return await activity();
      } catch (error) {
        if (error instanceof LostAnswerError) throw failureOf(error, "final");
        if (error instanceof ApiError) throw callFailureOf(error);
        throw error;
      }
    },
    whenFull,
    mostAttempts,
  );
}

function callFailureOf(error: ApiError): ApplicationFailure {
  const { operation, sent, status } = error;
  const facts = { operation, sent, ...(status !== undefined && { status }) };
  if (error instanceof NotSentError) {
    const wait = error.until === undefined ? undefined : Math.max(0, error.until - Date.now());
    return failureOf(error, wait, facts);
  }
  if (error instanceof RateLimitedError) return failureOf(error, error.retryAfterMs, facts);
  if (error instanceof TransientError) {
    return failureOf(error, error.retryAfterMs, { ...facts, reason: error.reason });
  }
  return failureOf(error, "final", facts);
}

/** @param retry milliseconds until the next attempt; undefined: as the policy says; `final`: there is none */
function failureOf(error: Error, retry: number | "final" | undefined, facts?: object): ApplicationFailure {
  return ApplicationFailure.create({
    type: error.name,
    message: error.message,
    cause: error,
    ...(retry === "final" && { nonRetryable: true }),
    ...(typeof retry === "number" && { nextRetryDelay: retry }),
    ...(facts && { details: [facts] }),
  });
}

function isFinal(error: Error): boolean {
  if (error instanceof InputError || error instanceof StagingLostError) return true;
  return error instanceof StoreFullError && activityInfo().attempt >= ATTEMPTS_WHEN_FULL;
}

function hasLasted(error: Error, mostAttempts: number): boolean {
  return !(error instanceof StoreFullError) && activityInfo().attempt >= mostAttempts;
}
