import type { IncomingHttpHeaders } from "node:http";
import { parseHttpDate, parseRetryAfter } from "../../domain/service/pace/retry-after.js";
import {
  type ApiError,
  AuthError,
  type CallFacts,
  NotFoundError,
  RateLimitedError,
  RejectedError,
  SchemaError,
  TransientError,
} from "./errors.js";

/** Milliseconds that the service asked to wait, by its own clock where it sent a `Date`. */
export function retryAfterMs(headers: IncomingHttpHeaders): number | undefined {
  const here = Date.now();
  const there = typeof headers.date === "string" ? parseHttpDate(headers.date, here) : undefined;
  const value = headers["retry-after"];
  return parseRetryAfter(typeof value === "string" ? value : undefined, there ?? here);
}

/**
 * The error for an answer that isn't 2xx, by what the caller does about it.
 *
 * @param said what a refusal's body says, masked: asked for where the error shows it
 */
export function statusError(
  facts: CallFacts & { readonly status: number },
  headers: IncomingHttpHeaders,
  said: () => string | undefined,
): ApiError {
  const { status } = facts;
  if (status === 429) return new RateLimitedError(facts, retryAfterMs(headers));
  if (status === 408 || status >= 500)
    return new TransientError(facts, `http_${status}`, retryAfterMs(headers));
  // Followed, it would carry the key to another host; taken for a refusal, it would set off a full resync.
  if (status < 400)
    return new SchemaError(facts, "", "expected a 2xx answer, got a redirect, which is not followed");
  const refused = { ...facts, said: said() };
  if (status === 401 || status === 403) return new AuthError(refused);
  return status === 404 ? new NotFoundError(refused) : new RejectedError(refused);
}

/** Whether the headers of a 2xx answer promise JSON that is not encoded. */
export function promisesJson(headers: IncomingHttpHeaders): boolean {
  const encoding = headers["content-encoding"];
  if (encoding !== undefined && encoding !== "identity") return false;
  return /^application\/([\w.+-]+\+)?json\s*(;|$)/i.test(headers["content-type"] ?? "");
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

/**
 * The error for a connection that failed. The cause keeps the code alone: undici's own errors can hold
 * pieces of the answer.
 */
export function networkError(facts: CallFacts, error: Error): TransientError {
  const code = "code" in error && typeof error.code === "string" ? error.code : error.name;
  return new TransientError(facts, networkReason(code, facts.status), undefined, { cause: new Error(code) });
}

function networkReason(code: string, status: number | undefined): string {
  const reason = REASONS[code];
  if (status !== undefined && reason !== "timeout") return "torn_body";
  if (reason !== undefined) return reason;
  if (code.startsWith("HPE_") || code === "HTTPParserError") return "bad_http";
  return /^ERR_(TLS|SSL)|CERT|SELF_SIGNED|UNABLE_TO_/.test(code) ? "tls" : "network";
}
