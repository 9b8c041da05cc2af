import type { IncomingHttpHeaders } from "node:http";
import { parseHttpDate, parseRetryAfter } from "../../domain/service/pace/retry-after.js";

/** The value of a header; of one that comes several times, as where a proxy adds its own, the first. */
export function headerOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** Milliseconds that the service asked to wait, by its own clock where it sent a `Date`. */
export function retryAfterMs(headers: IncomingHttpHeaders): number | undefined {
  const here = Date.now();
  const date = headerOf(headers, "date");
  const there = date === undefined ? undefined : parseHttpDate(date, here);
  return parseRetryAfter(headerOf(headers, "retry-after"), there ?? here);
}

/** Bytes that an answer says its body has; 0 where it doesn't say. */
export function announced(headers: IncomingHttpHeaders): number {
  return Number(headerOf(headers, "content-length") ?? 0);
}
