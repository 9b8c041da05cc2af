/** Names of failures in histories, tables and `--json`, a wire contract: each says what the caller does about it. */
export const FAILURE_TYPES = {
  /** The service refused the credentials (401, 403): stop the run. */
  auth: "AuthError",
  /** The service asked to wait (429): try again, but not earlier. */
  rateLimited: "RateLimitedError",
  /** Network, time-out, 408, 5xx, a torn body: try again. */
  transient: "TransientError",
  /** 404: the thing is gone. */
  notFound: "NotFoundError",
  /** Another 4xx: the same request will be refused again. */
  rejected: "RejectedError",
  /** The answer breaks the contract: a retry does not fix it. */
  schema: "SchemaError",
  /** A write whose answer was lost and that may have taken effect: never sent again by itself. */
  lostAnswer: "LostAnswerError",
  /** What a run staged is gone or torn: the run ends, and the next one reads everything again. */
  stagingLost: "StagingLostError",
  /** Wrong usage, configuration or input (exit 2). */
  input: "InputError",
  /** The service or Temporal can't be reached (exit 3). */
  unreachable: "UnreachableError",
} as const;

/** Thrown when the user's input can't be used (exit 2): names it, what is wrong, and what is accepted. */
export class InputError extends Error {
  override readonly name = FAILURE_TYPES.input;
}

/** Thrown when a request breaks the rules of its operation: before any of it was sent, and whenever it is made. */
export class UnsendableError extends InputError {
  /** @param rule what it breaks, with the name of the field; never a value. */
  constructor(
    readonly rule: string,
    message: string,
  ) {
    super(message);
  }
}

/** Thrown when the service or Temporal can't be reached. Exit code 3. The message says what to check. */
export class UnreachableError extends Error {
  override readonly name = FAILURE_TYPES.unreachable;
}
