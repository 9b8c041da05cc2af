import { expect } from "vitest";
import type { CallBench } from "./call-bench.js";
import { loseAnswer, type Write } from "./writes.js";

/** Answers that are not JSON at all, although the status says that all is well. */
export const NOT_JSON: readonly (readonly [string, object])[] = [
  ["a page of a proxy", { kind: "wrong_body", contentType: "text/html" }],
  ["an empty body", { kind: "wrong_body", body: "" }],
  ["no content", { kind: "wrong_body", status: 204, body: "", contentType: "" }],
  ["JSON that is cut short and framed as if whole", { kind: "truncated", mode: "body" }],
  ["JSON called something else", { kind: "wrong_body", contentType: "text/plain", body: "{}" }],
];

/** Has the answer of a write lost by one that is not JSON, and expects the call to be resolved: one effect. */
export async function expectSettled(bench: CallBench, write: Write, fault: object): Promise<void> {
  const { name, request, outcome, effects } = write;
  loseAnswer(bench, write, fault);
  const lost = await bench.failure(name, "call", request);
  expect(lost).toMatchObject({ type: "TransientError", nonRetryable: false });
  expect(effects(bench.sandbox)).toBe(1);
  const { repeated } = await bench.attempt(name, "call", request);
  expect(repeated).toBe(outcome === "its effect" ? "recovered" : "no");
  expect(effects(bench.sandbox)).toBe(1);
}
