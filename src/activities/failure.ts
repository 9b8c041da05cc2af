import { ApplicationFailure, activityInfo, CancelledFailure } from "@temporalio/activity";
import { ApiError, NotSentError, RateLimitedError, TransientError } from "../api/http/errors.js";
import { InputError } from "../domain/failures.js";
import { StagingLostError } from "../lake/staging-lost-error.js";
import { asFull, StoreFullError } from "../lake/store/local-store-errors.js";
import { LostAnswerError } from "./lost-answer-error.js";

/** Attempts on a full disk before it is given up: about two minutes. */
const ATTEMPTS_WHEN_FULL = 8;
/**
 * Attempts at anything else before it is given up: about an hour of them (`workflows/policies.ts`), or, of a step of
 * a customer, whose attempts are further apart, ten hours. A worker that is lost throws nothing, so that no number
 * of lost workers ends an activity.
 */
const MOST_ATTEMPTS = 120;
/** Milliseconds until the next attempt of what waits for room. */
const WAIT_FOR_ROOM_MS = 10_000;
/** Errors in which DuckDB quotes values: a customer's data must not come into histories, logs or summaries. */
const QUOTING = /^(Invalid Input|Conversion|Out of Range|Constraint) Error/;

/**
 * What becomes of an activity on a full disk. `wait`: it is tried again until there is room, for giving it up would
 * make a failure of what the service has done already.
 */
type WhenFull = "give up" | "wait";

/**
 * Runs an activity and turns what it throws into the failure that histories and tables show: one place
 * decides what is tried again (`workflows/policies.ts` says how).
 */
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
      throw failureOf(error, { nextRetryDelay: WAIT_FOR_ROOM_MS });
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
 * Runs an activity that makes one call for its workflow: what the service or the network did becomes a failure
 * whose type says what to do about it. Only what may go better next time is tried again, not before the service
 * said.
 */
export function asCallFailure<R>(activity: () => Promise<R>, whenFull?: WhenFull): Promise<R> {
  // A call that changes something is given up after a day, by its policy: its effect would not be known.
  const mostAttempts = whenFull === "wait" ? MOST_ATTEMPTS : Number.POSITIVE_INFINITY;
  return asActivityFailure(
    async () => {
      try {
        return await activity();
      } catch (error) {
        if (error instanceof LostAnswerError) throw failureOf(error, { nonRetryable: true });
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
    return failureOf(error, { nextRetryDelay: wait, details: [facts] });
  }
  if (error instanceof RateLimitedError) {
    return failureOf(error, { nextRetryDelay: error.retryAfterMs, details: [facts] });
  }
  if (error instanceof TransientError) {
    const { reason, retryAfterMs } = error;
    return failureOf(error, { nextRetryDelay: retryAfterMs, details: [{ ...facts, reason }] });
  }
  return failureOf(error, { nonRetryable: true, details: [facts] });
}

interface FailureOptions {
  readonly nonRetryable?: boolean;
  /** Milliseconds. */
  readonly nextRetryDelay?: number | undefined;
  readonly details?: unknown[];
}

function failureOf(error: Error, { nextRetryDelay, ...options }: FailureOptions): ApplicationFailure {
  return ApplicationFailure.create({
    type: error.name,
    message: error.message,
    cause: error,
    ...options,
    ...(nextRetryDelay !== undefined && { nextRetryDelay }),
  });
}

function isFinal(error: Error): boolean {
  if (error instanceof InputError || error instanceof StagingLostError) return true;
  return error instanceof StoreFullError && activityInfo().attempt >= ATTEMPTS_WHEN_FULL;
}

/** Whether an error has come so often that it is none that passes. */
function hasLasted(error: Error, mostAttempts: number): boolean {
  return !(error instanceof StoreFullError) && activityInfo().attempt >= mostAttempts;
}
