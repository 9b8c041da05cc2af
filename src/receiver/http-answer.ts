import type { IncomingMessage, ServerResponse } from "node:http";
import { REFUSALS, type Refusal } from "../domain/webhooks/rejection.js";

export interface Answer {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The answer to a refused request; it quotes nothing of the request. */
export function refusalAnswer(refusal: Refusal): Answer {
  const status = REFUSALS[refusal];
  const answer: Answer = { status, body: { error: refusal } };
  return status === 503 ? { ...answer, headers: { "retry-after": "1" } } : answer;
}

/** Milliseconds before the connection is cut after an answer: cut at once, the answer might never arrive. */
const TRAVEL_MS = 1_000;

/**
 * Writes an answer; the last one on a connection says so. An answer to an incomplete request is the last one: the rest
 * of the request is not read.
 */
export function writeAnswer(
  request: IncomingMessage,
  response: ServerResponse,
  { status, body, headers }: Answer,
  isLast: boolean,
): void {
  if (response.destroyed) return;
  const isWhole = request.complete;
  const text = body === undefined ? "" : JSON.stringify(body);
  response.writeHead(status, {
    ...(text !== "" && { "content-type": "application/json", "content-length": Buffer.byteLength(text) }),
    ...((isLast || !isWhole) && { connection: "close" }),
    ...headers,
  });
  if (isWhole) response.end(text);
  else cutAfter(request, response, text);
}

// Node would read the rest of the request once the answer has ended, so this answer is never ended.
function cutAfter(request: IncomingMessage, response: ServerResponse, text: string): void {
  request.pause();
  response.write(text);
  const { socket } = request;
  const timer = setTimeout(() => socket.destroy(), TRAVEL_MS);
  socket.once("close", () => clearTimeout(timer));
}
