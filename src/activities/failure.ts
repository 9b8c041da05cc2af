import { ApplicationFailure, activityInfo, CancelledFailure } from "@temporalio/activity";
import {
  AnotherSubjectError,
  ApiError,
  AuthError,
  NotFoundError,
  NotSentError,
  RateLimitedError,
  RejectedError,
  SchemaError,
  TransientError,
  UNRESOLVED,
} from "../api/http/errors.js";
import {
  type OpenOutcome,
  STEP_RETRY,
  type TransientOutcome,
  triesOf,
  USELESS_ANSWER,
} from "../domain/backoff.js";
import { MINUTE } from "../domain/duration.js";
import { anotherSubjectReason, FAILURE_TYPES, InputError, StagingLostError } from "../domain/failures.js";
import type { RefusedRequest } from "../domain/refusals.js";
import { asFull, StoreFullError } from "../lake/store/local/local-store-errors.js";

const ATTEMPTS_WHEN_FULL = triesOf({ ...STEP_RETRY, until: 2 * MINUTE });
/** Attempts at anything else. A lost worker throws nothing, so no number of them ends an activity. */
const MOST_ATTEMPTS = triesOf(STEP_RETRY);
const WAIT_FOR_ROOM_MS = 10_000;
/** Errors in which DuckDB quotes values. */
const QUOTING = /^(Invalid Input|Conversion|Out of Range|Constraint) Error/;

/** `by policy`: Temporal's alone. `unless full`: not for lack of room, because the service has done the work already. */
export type GiveUp = "in time" | "unless full" | "by policy";

/** Turns what an activity throws into the failure of histories. */
export async function asActivityFailure<R>(
  activity: () => Promise<R>,
  giveUp: GiveUp = "in time",
): Promise<R> {
  try {
    return await activity();
  } catch (thrown) {
    if (thrown instanceof CancelledFailure || thrown instanceof ApplicationFailure) throw thrown;
    if (!(thrown instanceof Error)) throw thrown;
    const error = asFull(thrown) ?? thrown;
    if (error instanceof StoreFullError && giveUp === "unless full") throw failureOf(error, WAIT_FOR_ROOM_MS);
    const kind = QUOTING.exec(error.message)?.[0];
    throw ApplicationFailure.create({
      type: error.name,
      message: kind === undefined ? error.message : `SQL refused a value (${kind}); nothing was published`,
      nonRetryable: isFinal(error, giveUp),
      ...(kind === undefined && { cause: error }),
    });
  }
}

/** The same for one call: only what may succeed next time is retried, and not before the service allows. */
export function asCallFailure<R>(activity: () => Promise<R>): Promise<R> {
  const asFailure = () =>
    activity().catch((error: unknown) => {
      if (error instanceof LostAnswerError) throw failureOf(error, "final");
      throw error instanceof ApiError ? callFailureOf(error) : error;
    });
  // A write ends by its policy alone, after a day: nobody knows whether a call that was given up took effect.
  return asActivityFailure(asFailure, "by policy");
}

function callFailureOf(error: ApiError): ApplicationFailure {
  const { operation, sent, status, message } = error;
  const facts = { operation, sent, ...(status !== undefined && { status }) };
  if (error instanceof NotSentError) return failureOf(error, error.waitMs, facts);
  if (error instanceof RateLimitedError)
    return failureOf(error, error.isFinal ? "final" : error.retryAfterMs, facts);
  if (!(error instanceof TransientError)) return failureOf(error, "final", facts);
  // The next attempt finds out by itself what the user would have to.
  const later = "Whether the request was carried out is looked up before it is sent again";
  const { retryAfterMs, reason } = error;
  return failureOf(error, retryAfterMs, { ...facts, reason }, message.replace(UNRESOLVED, later));
}

/** @param retry milliseconds until the next attempt; undefined: as the policy says */
function failureOf(
  error: Error,
  retry: number | "final" | undefined,
  facts?: object,
  message = error.message,
): ApplicationFailure {
  return ApplicationFailure.create({
    type: error.name,
    message,
    cause: error,
    ...(retry === "final" && { nonRetryable: true }),
    ...(typeof retry === "number" && { nextRetryDelay: retry }),
    ...(facts && { details: [facts] }),
  });
}

function isFinal(error: Error, giveUp: GiveUp): boolean {
  if (error instanceof InputError || error instanceof StagingLostError) return true;
  if (error instanceof StoreFullError) return activityInfo().attempt >= ATTEMPTS_WHEN_FULL;
  return giveUp !== "by policy" && activityInfo().attempt >= MOST_ATTEMPTS;
}

/** Thrown when a write may have taken effect and nothing tells: the program does not send it again by itself. */
export class LostAnswerError extends Error {
  override readonly name = FAILURE_TYPES.lostAnswer;

  /**
   * @param sentAt epoch milliseconds
   * @param options `unusable`: how many answers were not JSON, where it was given up for that
   */
  constructor(
    readonly operation: string,
    readonly sentAt: number,
    { unusable, ...options }: ErrorOptions & { readonly unusable?: number } = {},
  ) {
    const sent = `${operation}: sent at ${new Date(sentAt).toISOString()}`;
    const what =
      unusable === undefined
        ? "its answer was lost"
        : `${unusable} answers to it or about it were not JSON, or not the promised ones: check NIGHTLEDGER_API_URL and any proxy`;
    super(
      `${sent}, and ${what}. Nothing tells whether it took effect, so it is not sent again by itself. Check whether the service ` +
        "carried it out, then request it again if it did not (docs/reference/api-operations.md, Lost answer)",
      options,
    );
  }
}

type CallFailure =
  | OpenOutcome
  | TransientOutcome
  | ({ readonly kind: "rejected" | "gone" } & RefusedRequest)
  | { readonly kind: "unauthorized"; readonly mayNot?: string }
  | { readonly kind: "broken"; readonly reason: string };

/** Turns what a read threw into an outcome for its owner. @throws the error itself where it is not the service's */
export function callFailure(error: unknown): CallFailure {
  if (error instanceof NotSentError)
    return { kind: "open", ...(error.waitMs !== undefined && { waitMs: error.waitMs }) };
  if (error instanceof AuthError)
    return { kind: "unauthorized", ...(error.mayNot !== undefined && { mayNot: error.mayNot }) };
  if (error instanceof NotFoundError) return { kind: "gone", ...refusedBy(error) };
  if (error instanceof RejectedError) return { kind: "rejected", ...refusedBy(error) };
  const transient = (reason: string, retryAfterMs: number | null = null) =>
    ({ kind: "transient", reason, retryAfterMs }) as const;
  if (error instanceof RateLimitedError) return transient("http_429", error.retryAfterMs);
  if (error instanceof TransientError) return transient(error.reason, error.retryAfterMs);
  if (error instanceof SchemaError) {
    const { path, expectation } = error;
    return { kind: "broken", reason: `schema ${path === "" ? "" : `${path}: `}${expectation}` };
  }
  if (error instanceof AnotherSubjectError)
    return { kind: "broken", reason: anotherSubjectReason(error.mismatch) };
  // A whole body that is not JSON.
  if (error instanceof SyntaxError) return transient(USELESS_ANSWER);
  throw error;
}

export function refusedBy({ status, serviceMessage }: NotFoundError | RejectedError): RefusedRequest {
  return { status: status ?? 0, message: serviceMessage ?? null };
}
