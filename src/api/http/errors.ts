import { FAILURE_TYPES } from "../../domain/failures.js";

/** What is known of a call that failed. None of it is secret or personal, so all of it may be logged. */
export interface CallFacts {
  /** Name of the operation. */
  readonly operation: string;
  /** Status of the answer, where one came. */
  readonly status?: number;
  /** Whether the request left this process: only then it counts as a call. */
  readonly sent: boolean;
  /** What the call was authenticated by, where it was not the secret key. */
  readonly credential?: "client_token";
  /** Whether the request would change something at the service. */
  readonly write?: boolean;
  /** What the service said when it refused the request, masked (`refusal-words.ts`): for people alone. */
  readonly said?: string | undefined;
}

/** Reason of a {@link TransientError}: a write was answered 2xx, and the answer is no JSON. */
export const NO_JSON = "no_json";

const SOMEBODY_ELSE =
  "Something may answer in the service's place: check NIGHTLEDGER_API_URL and any proxy before it";

/** A call that did not give an answer to use. Its subclasses say what the caller does about it. */
export abstract class ApiError extends Error {
  readonly operation: string;
  readonly status: number | undefined;
  readonly sent: boolean;
  /** What the service said when it refused the request, masked; nothing may be decided by it. */
  readonly said: string | undefined;

  constructor(facts: CallFacts, message: string, options?: ErrorOptions) {
    super(`${facts.operation}: ${message}`, options);
    this.operation = facts.operation;
    this.status = facts.status;
    this.sent = facts.sent;
    this.said = facts.said;
  }
}

/** Thrown when the service refused the credentials (401, 403), or had done so before in the same run. */
export class AuthError extends ApiError {
  override readonly name = FAILURE_TYPES.auth;

  constructor(facts: CallFacts) {
    super(facts, refusedCredentials(facts));
  }
}

/** Thrown when the service asked to slow down (429). */
export class RateLimitedError extends ApiError {
  override readonly name = FAILURE_TYPES.rateLimited;

  /** @param retryAfterMs milliseconds to wait before any call, where the service said so. */
  constructor(
    facts: CallFacts,
    readonly retryAfterMs?: number,
  ) {
    super(
      facts,
      `the service asked to slow down (status 429${waiting(retryAfterMs)}); nothing was read. Try again later, or lower NIGHTLEDGER_API_RPS`,
    );
  }
}

/**
 * Thrown when trying again later may help: network, time-out, 408, 5xx, a torn body, and a write whose answer is no
 * JSON, because something between the service and us spoke in its place.
 */
export class TransientError extends ApiError {
  override readonly name = FAILURE_TYPES.transient;

  /**
   * @param reason short code: `timeout`, `connection_refused`, `connection_reset`, `name_not_resolved`, `tls`,
   * `torn_body`, `no_json`, `bad_http`, `network`, `http_<status>`.
   * @param retryAfterMs milliseconds to wait, where the service said so.
   */
  constructor(
    facts: CallFacts,
    readonly reason: string,
    readonly retryAfterMs?: number,
    options?: ErrorOptions,
  ) {
    const hint = reason === NO_JSON ? `. ${SOMEBODY_ELSE}` : "";
    super(
      facts,
      `no usable answer (${reason}${waiting(retryAfterMs)}); ${afterwards(facts)}${hint}`,
      options,
    );
  }
}

/** Thrown when the thing asked for isn't there (404). */
export class NotFoundError extends ApiError {
  override readonly name = FAILURE_TYPES.notFound;

  constructor(facts: CallFacts) {
    super(facts, `the service knows no such thing (status 404)${answered(facts)}. Check the id`);
  }
}

/** Thrown on any other 4xx: the same request will be refused again. */
export class RejectedError extends ApiError {
  override readonly name = FAILURE_TYPES.rejected;

  constructor(facts: CallFacts) {
    super(
      facts,
      `the service refused the request (status ${facts.status})${answered(facts)}. Sent again it will be refused again`,
    );
  }
}

/**
 * Thrown when an answer breaks the contract: not JSON (of a read), too large, a redirect, or not of the agreed shape.
 */
export class SchemaError extends ApiError {
  override readonly name = FAILURE_TYPES.schema;

  /**
   * @param path where in the body (`transactions.created`), empty for the answer as a whole.
   * @param expectation what should have been there; never what was.
   */
  constructor(
    facts: CallFacts,
    readonly path: string,
    readonly expectation: string,
  ) {
    super(
      facts,
      `the answer breaks the contract${path === "" ? "" : ` at ${path}`}: ${expectation}. It was not used; check NIGHTLEDGER_API_URL and whether the service has changed${unsettled(facts)}`,
    );
  }
}

/** Thrown when a call could not start in the time it was given. It was not sent, so nothing has happened. */
export class NotSentError extends ApiError {
  override readonly name = "NotSentError";

  /** @param until epoch milliseconds before which no such call can start, where that is known. */
  constructor(
    operation: string,
    readonly until?: number,
  ) {
    super(
      { operation, sent: false },
      "not sent: it could not start in the time it was given. Ask again later",
    );
  }
}

function unsettled({ sent, write }: CallFacts): string {
  return sent && write
    ? ". Whether the request was carried out is not known: settle that before it is sent again (docs/reference/api-operations.md)"
    : "";
}

function afterwards({ sent, write }: CallFacts): string {
  return sent && write
    ? "whether it was carried out is not known. Settle that before it is sent again (docs/reference/api-operations.md)"
    : "nothing was read. Try again later";
}

function refusedCredentials(facts: CallFacts): string {
  const { sent, status, credential } = facts;
  if (!sent) {
    return "not sent, because the service refused the credentials earlier in this run. Check NIGHTLEDGER_API_KEY";
  }
  return credential === undefined
    ? `the service refused the credentials (status ${status})${answered(facts)}. Check NIGHTLEDGER_API_KEY, its form (test or live) and its permissions`
    : `the service refused the client token (status ${status})${answered(facts)}. It may have expired, or lack the scope or the fields: make a new one`;
}

/** What the service said, or what became of the request where it said nothing. */
function answered({ said }: CallFacts): string {
  return said === undefined ? "; nothing was read or changed" : `; it said: ${said.replace(/\.+$/, "")}`;
}

function waiting(retryAfterMs: number | undefined): string {
  return retryAfterMs === undefined ? "" : `, asked to wait ${Math.ceil(retryAfterMs / 1000)} s`;
}
