import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { type Answer, errorBody } from "../http/answer.js";
import type { EffectOf, RetryAfter } from "./fault.js";
import type { Fire } from "./fault-store.js";

/** Sends the answer, through whichever fault of the wire fires for this call. */
export async function send(response: ServerResponse, answer: Answer, fire: Fire): Promise<void> {
  const wrong = fire("wrong_body");
  const whole = wrong ? wrongAnswer(wrong) : answer;
  const truncated = fire("truncated");
  if (truncated) return sendTruncated(response, whole, truncated.mode ?? "length");
  const reset = fire("reset", (fault) => fault.afterBytes !== undefined);
  if (reset) return sendThenReset(response, whole, reset.afterBytes ?? 0);
  const slow = fire("slow");
  if (slow) return sendSlowly(response, whole, slow);
  write(response, whole);
}

/** Sends an answer as it is. */
export function write(response: ServerResponse, answer: Answer): void {
  response.writeHead(answer.status, headersOf(answer));
  response.end(answer.body);
}

function headersOf(answer: Answer, length: number | null = answer.body.length): OutgoingHttpHeaders {
  const own = answer.passedOn ? {} : { "content-type": "application/json" };
  const headers = { ...own, ...answer.headers } as OutgoingHttpHeaders;
  // RFC 9110, 8.6: no length with a status that has no body.
  if (length !== null && answer.status !== 204 && answer.status !== 304) headers["content-length"] = length;
  return headers;
}

function wrongAnswer(fault: EffectOf<"wrong_body">): Answer {
  const body = fault.body ?? "<!doctype html><title>502</title><h1>Bad gateway</h1>";
  const contentType = fault.contentType ?? (body.startsWith("<") ? "text/html" : "application/json");
  return { status: fault.status ?? 200, headers: { "content-type": contentType }, body: Buffer.from(body) };
}

async function sendTruncated(response: ServerResponse, answer: Answer, mode: "length" | "chunked" | "body") {
  const half = answer.body.subarray(0, Math.floor(answer.body.length / 2));
  if (mode === "body") {
    response.writeHead(answer.status, headersOf(answer, half.length));
    response.end(half);
  }
  response.writeHead(answer.status, headersOf(answer, mode === "length" ? answer.body.length : null));
  await flushed(response, half);
  response.socket?.destroySoon();
}

async function sendThenReset(response: ServerResponse, answer: Answer, bytes: number) {
  response.writeHead(answer.status, headersOf(answer));
  await flushed(response, answer.body.subarray(0, Math.max(1, bytes)));
  response.socket?.resetAndDestroy();
}

async function sendSlowly(response: ServerResponse, answer: Answer, fault: EffectOf<"slow">) {
  const { chunkBytes = 64, intervalMs = 50 } = fault;
  response.writeHead(answer.status, headersOf(answer));
  for (let from = 0; from < answer.body.length && !response.destroyed; from += chunkBytes) {
    response.write(answer.body.subarray(from, from + chunkBytes));
    await delay(intervalMs);
  }
  response.end();
}

/** Resolves once the bytes went to the socket, or the socket is gone. */
function flushed(response: ServerResponse, bytes: Buffer): Promise<void> {
  return new Promise((resolve) => {
    response.once("close", resolve);
    response.write(bytes, () => resolve());
  });
}

/** The answer of a `status` fault; dates are by the stand-in's clock. */
export function statusAnswer({ status, retryAfter, body }: EffectOf<"status">, now: number): Answer {
  const headers = retryAfter === undefined ? {} : { "retry-after": retryAfterText(retryAfter, now) };
  const made = body === undefined ? errorBody("fault", `status ${status} by a fault`) : Buffer.from(body);
  return { status, headers, body: made };
}

function retryAfterText(value: RetryAfter, now: number): string {
  if (typeof value === "number") return String(value);
  if ("raw" in value) return value.raw;
  return new Date(now + value.dateInSeconds * 1000).toUTCString();
}
