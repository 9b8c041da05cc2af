import type { ServerResponse } from "node:http";
import { REFUSALS, type Refusal } from "../domain/webhooks/rejection.js";

/** What a receiver answers. */
export interface Answer {
  readonly status: number;
  /** Written as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The answer of a refusal; it says nothing of what was sent. */
export function refusalAnswer(refusal: Refusal): Answer {
  const status = REFUSALS[refusal];
  const answer: Answer = { status, body: { error: refusal } };
  return status === 503 ? { ...answer, headers: { "retry-after": "1" } } : answer;
}

/** Writes an answer; the last one on a connection says so. */
export function writeAnswer(
  response: ServerResponse,
  { status, body, headers }: Answer,
  isLast: boolean,
): void {
  if (response.destroyed) return;
  const text = body === undefined ? "" : JSON.stringify(body);
  response.writeHead(status, {
    ...(text !== "" && { "content-type": "application/json", "content-length": Buffer.byteLength(text) }),
    ...(isLast && { connection: "close" }),
    ...headers,
  });
  response.end(text);
}
