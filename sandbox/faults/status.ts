import type { Answer } from "../answer.js";
import { errorBody } from "../answer.js";
import type { EffectOf, RetryAfter } from "./fault.js";

/** The answer of a `status` fault. */
export function statusAnswer(fault: EffectOf<"status">): Answer {
  const headers: Record<string, string> = {};
  if (fault.retryAfter !== undefined) headers["retry-after"] = retryAfterText(fault.retryAfter);
  return {
    status: fault.status,
    headers,
    body:
      fault.body === undefined
        ? errorBody("fault", `status ${fault.status} by a fault`)
        : Buffer.from(fault.body),
  };
}

function retryAfterText(value: RetryAfter): string {
  if (typeof value === "number") return String(value);
  if ("raw" in value) return value.raw;
  return new Date(Date.now() + value.dateInSeconds * 1000).toUTCString();
}
