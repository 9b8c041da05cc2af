import type { LinkOutcome } from "../../../domain/sync/link-reading.js";
import { EnvelopeError } from "../../../streams/envelope-error.js";
import { callFailure } from "../../call-failure.js";

export type PageFailure = Exclude<LinkOutcome, { kind: "complete" | "torn" }>;

/**
 * Turns what a page's call or its reading threw into an outcome, without what the service said of a refusal: that may be
 * personal, and outcomes go into histories.
 *
 * @throws the error itself when it is none of the service's
 */
export function pageFailure(error: unknown): PageFailure {
  if (error instanceof EnvelopeError) return { kind: "broken", reason: `schema ${error.message}` };
  const failure = callFailure(error);
  if (failure.kind === "rejected") return { kind: "rejected", status: failure.status };
  return failure.kind === "gone" ? { kind: "gone" } : failure;
}
