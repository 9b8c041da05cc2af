import { type Answer, errorBody } from "../http/answer.js";
import type { EffectOf, RetryAfter } from "./fault.js";

/** The answer of a `status` fault; dates are by the stand-in's clock. */
export function statusAnswer(fault: EffectOf<"status">, now: number): Answer {
  const headers: Record<string, string> = {};
  if (fault.retryAfter !== undefined) headers["retry-after"] = retryAfterText(fault.retryAfter, now);
  return {
    status: fault.status,
    headers,
    body:
      fault.body === undefined
        ? errorBody("fault", `status ${fault.status} by a fault`)
        : Buffer.from(fault.body),
  };
}

function retryAfterText(value: RetryAfter, now: number): string {
  if (typeof value === "number") return String(value);
  if ("raw" in value) return value.raw;
  return new Date(now + value.dateInSeconds * 1000).toUTCString();
}
