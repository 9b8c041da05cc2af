import type { IncomingHttpHeaders } from "node:http";
import { minuteOf, SERVICE_RETRY, USELESS } from "../../domain/backoff.js";
import { FAILURE_TYPES, mayNotCall, type SubjectMismatch } from "../../domain/failures.js";
import { isWrite, type Operation } from "../operations/operation.js";
import { retryAfterMs } from "./headers.js";

/** What is known of a failed call: nothing secret or personal. */
export interface CallFacts {
  readonly operation: string;
  readonly status?: number | undefined;
  readonly sent: boolean;
  /** Left out: the secret key. `permission`: the key is good, and may not make this call. */
  readonly credential?: "client_token" | "permission" | undefined;
  /** Of a request that changes something: whether it may be sent again. */
  readonly write?: "harmless" | "once" | undefined;
  /** The message, where the answer may be that of a target behind the service. */
  readonly relayed?: string | undefined;
  /** Of a refusal, masked (`refusal-words.ts`): for people only. */
  readonly serviceMessage?: string | undefined;
}

/** What is known of a request whose answer came. */
export function factsOf(
  operation: Pick<Operation, "name" | "idempotent" | "changes">,
  status?: number,
): CallFacts {
  const write = isWrite(operation) ? (operation.idempotent ? "harmless" : "once") : undefined;
  return { operation: operation.name, sent: true, status, write };
}

export function isUseless(error: unknown): error is TransientError {
  return error instanceof TransientError && USELESS.includes(error.reason);
}

/** Whether the service refused this very request. */
export function isRefusal(error: unknown): error is RejectedError | NotFoundError {
  return error instanceof RejectedError || error instanceof NotFoundError;
}

const SOMEBODY_ELSE =
  "Something else may be answering instead of the service: check NIGHTLEDGER_API_URL and any proxy in between";

/** A call without a usable answer. Its subclasses say what the caller does about it. */
export abstract class ApiError extends Error {
  readonly operation: string;
  readonly status: number | undefined;
  readonly sent: boolean;
  readonly serviceMessage: string | undefined;

  constructor(facts: CallFacts, message: string, options?: ErrorOptions) {
    super(`${facts.operation}: ${facts.relayed ?? message}`, options);
    this.operation = facts.operation;
    this.status = facts.status;
    this.sent = facts.sent;
    this.serviceMessage = facts.serviceMessage;
  }
}

/** Thrown when the service refused the credentials (401, 403), or had done so before in the same run. */
export class AuthError extends ApiError {
  override readonly name = FAILURE_TYPES.auth;
  /** Names the operation where the key is good, and may not call it. */
  readonly mayNot: string | undefined;

  constructor(facts: CallFacts) {
    super(facts, refusedCredentials(facts));
    this.mayNot = facts.credential === "permission" ? facts.operation : undefined;
  }
}

export class RateLimitedError extends ApiError {
  override readonly name = FAILURE_TYPES.rateLimited;

  constructor(
    facts: CallFacts,
    readonly retryAfterMs?: number,
  ) {
    super(facts, slowDown(facts, retryAfterMs));
  }

  get isFinal(): boolean {
    return (this.retryAfterMs ?? 0) > SERVICE_RETRY.until;
  }
}

/** Thrown when trying again later may help: network, timeout, 408, 5xx, and an answer that is torn or no JSON. */
export class TransientError extends ApiError {
  override readonly name = FAILURE_TYPES.transient;

  /** @param reason a value of {@link REASONS}, `tls`, `bad_http`, `network`, `torn_body`, `list_moved`, `http_<status>`, or useless */
  constructor(
    facts: CallFacts,
    readonly reason: string,
    readonly retryAfterMs?: number,
    options?: ErrorOptions,
  ) {
    const hint = USELESS.includes(reason) ? `. ${SOMEBODY_ELSE}` : "";
    super(
      facts,
      `no usable answer (${reason}${waiting(retryAfterMs)}). ${fateOf(facts) ?? "Nothing was read. Try again later"}${hint}`,
      options,
    );
  }
}

/** Thrown when the service does not have what was asked for (404, 410). */
export class NotFoundError extends ApiError {
  override readonly name = FAILURE_TYPES.notFound;

  constructor(facts: CallFacts) {
    super(
      facts,
      `the service found nothing under this id (status ${facts.status})${answered(facts)}. Check the id`,
    );
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

/** Thrown when an answer breaks the contract: too large, a redirect, or not of the agreed shape. */
export class SchemaError extends ApiError {
  override readonly name = FAILURE_TYPES.schema;

  /**
   * @param path `transactions.created`; empty for the answer as a whole.
   * @param expectation never what was there.
   */
  constructor(
    facts: CallFacts,
    readonly path: string,
    readonly expectation: string,
  ) {
    super(
      facts,
      `the answer breaks the contract${path === "" ? "" : ` at ${path}`}: ${expectation}. It was not used. Check NIGHTLEDGER_API_URL and whether the service has changed${fateAfter(facts)}`,
    );
  }
}

/** Thrown when an answer is about something else than what was asked for. */
export class AnotherSubjectError extends ApiError {
  override readonly name = FAILURE_TYPES.anotherSubject;

  constructor(
    facts: CallFacts,
    readonly mismatch: SubjectMismatch,
  ) {
    const { field, answered, asked } = mismatch;
    super(
      facts,
      `the answer is about something else: ${field} is ${answered}, asked for was ${asked}. It was not used. ${SOMEBODY_ELSE}${fateAfter(facts)}`,
    );
  }
}

/** Thrown when a call could not start in time. */
export class NotSentError extends ApiError {
  override readonly name = "NotSentError";

  /** @param waitMs milliseconds in which no such call can start, where that is known. */
  constructor(
    operation: string,
    readonly waitMs?: number,
  ) {
    super({ operation, sent: false }, "not sent, because it could not start in time. Try again later");
  }
}

export const UNRESOLVED =
  "It is not known whether the request was carried out: find out before you send it again (docs/reference/api-operations.md)";

/** What a failed request may have done; undefined for a read. */
function fateOf({ sent, write }: CallFacts): string | undefined {
  if (write === undefined) return undefined;
  if (!sent) return "It was not sent, so nothing was changed. Try again later";
  return write === "once"
    ? UNRESOLVED
    : "It may have been carried out; the same request again does no harm. Try again later";
}

function fateAfter(facts: CallFacts): string {
  const fate = fateOf(facts);
  return fate === undefined ? "" : `. ${fate}`;
}

function refusedCredentials(facts: CallFacts): string {
  const { sent, status, credential } = facts;
  if (!sent) {
    return "not sent, because the service refused the credentials earlier in this run. Check NIGHTLEDGER_API_KEY";
  }
  if (credential === "permission") return mayNotCall(facts.operation);
  return credential === undefined
    ? `the service refused the credentials (status ${status})${answered(facts)}. Check NIGHTLEDGER_API_KEY, its form (test or live) and its permissions`
    : `the service refused the client token (status ${status})${answered(facts)}. It may have expired, or lack the scope or the fields: make a new one`;
}

function answered({ serviceMessage }: CallFacts): string {
  if (serviceMessage === undefined) return "; nothing was read or changed";
  return `; it said: ${serviceMessage.replace(/\.+$/, "")}`;
}

function slowDown({ sent }: CallFacts, retryAfterMs = 0): string {
  if (retryAfterMs > SERVICE_RETRY.until) {
    const until = minuteOf(Date.now() + retryAfterMs);
    return `${sent ? "the request was not handled" : "not sent"}: the service takes no such call before ${until}. Try again after that`;
  }
  return `the service asked to slow down (status 429${waiting(retryAfterMs || undefined)}) and did not handle the request. Try again later, or lower NIGHTLEDGER_API_RPS`;
}

function waiting(retryAfterMs: number | undefined): string {
  return retryAfterMs === undefined ? "" : `, asked to wait ${Math.ceil(retryAfterMs / 1000)} s`;
}

/**
 * The error for an answer that isn't 2xx, by what the caller does about it.
 *
 * @param messageOf reads what a refusal says
 */
export function statusError(
  facts: CallFacts & { readonly status: number },
  headers: IncomingHttpHeaders,
  messageOf: () => string | undefined,
): ApiError {
  const { status } = facts;
  if (status === 429) return new RateLimitedError(facts, retryAfterMs(headers));
  if (status === 408 || status >= 500)
    return new TransientError(facts, `http_${status}`, retryAfterMs(headers));
  // Followed, it would carry the key elsewhere; as a refusal it would set off a full resync.
  if (status < 400)
    return new SchemaError(facts, "", "expected a 2xx answer, got a redirect, which is not followed");
  const refused = { ...facts, serviceMessage: messageOf() };
  if (status === 401 || status === 403) return new AuthError(refused);
  return status === 404 || status === 410 ? new NotFoundError(refused) : new RejectedError(refused);
}

export function tooLarge(maxBodyBytes: number): string {
  return `expected a body of at most ${maxBodyBytes} bytes`;
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection_refused",
  ECONNRESET: "connection_reset",
  EPIPE: "connection_reset",
  UND_ERR_SOCKET: "connection_reset",
  ENOTFOUND: "name_not_resolved",
  EAI_AGAIN: "name_not_resolved",
  ETIMEDOUT: "timeout",
  UND_ERR_CONNECT_TIMEOUT: "timeout",
};

/** The error for a connection that failed. Its cause is the code alone: undici's errors can hold pieces of the answer. */
export function networkError(facts: CallFacts, error: Error): TransientError {
  const code = "code" in error && typeof error.code === "string" ? error.code : error.name;
  let reason = REASONS[code] ?? "network";
  if (facts.status !== undefined && reason !== "timeout") reason = "torn_body";
  else if (code.startsWith("HPE_") || code === "HTTPParserError") reason = "bad_http";
  else if (/^ERR_(TLS|SSL)|CERT|SELF_SIGNED|UNABLE_TO_/.test(code)) reason = "tls";
  return new TransientError(facts, reason, undefined, { cause: new Error(code) });
}
