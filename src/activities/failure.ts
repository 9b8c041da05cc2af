import { ApplicationFailure, activityInfo, CancelledFailure } from "@temporalio/activity";
import { ApiError, NotSentError, RateLimitedError, TransientError } from "../api/http/errors.js";
import { InputError } from "../domain/failures.js";
import { StoreFullError } from "../lake/store/local-store-errors.js";
import { LostAnswerError } from "./lost-answer-error.js";

/** Attempts on a full disk before it is given up: about two minutes. */
const ATTEMPTS_WHEN_FULL = 8;
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
): Promise<R> {
  try {
    return await activity();
  } catch (error) {
    if (error instanceof CancelledFailure || error instanceof ApplicationFailure) throw error;
    if (!(error instanceof Error)) throw error;
    if (error instanceof StoreFullError && whenFull === "wait") {
      throw failureOf(error, { nextRetryDelay: WAIT_FOR_ROOM_MS });
    }
    const kind = QUOTING.exec(error.message)?.[0];
    throw ApplicationFailure.create({
      type: error.name,
      message: kind === undefined ? error.message : `SQL refused a value (${kind}); nothing was published`,
      nonRetryable: isFinal(error),
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
  return asActivityFailure(async () => {
    try {
      return await activity();
    } catch (error) {
      if (error instanceof LostAnswerError) throw failureOf(error, { nonRetryable: true });
      if (error instanceof ApiError) throw callFailureOf(error);
      throw error;
    }
  }, whenFull);
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
  if (error instanceof InputError) return true;
  return error instanceof StoreFullError && activityInfo().attempt >= ATTEMPTS_WHEN_FULL;
}
