import type { LinkOutcome } from "../../../domain/sync/link-reading.js";
import { EnvelopeError } from "../../../streams/envelope-error.js";
import { callFailure } from "../../call-failure.js";

export type PageFailure = Exclude<LinkOutcome, { kind: "complete" | "torn" }>;

/**
 * Turns what a page's call or its reading threw into an outcome. Leaves out what the service said when it refused, which
 * may be personal: outcomes go into histories.
 *
 * @throws the error itself when it does not come from the service
 */
export function pageFailure(error: unknown): PageFailure {
  if (error instanceof EnvelopeError) return { kind: "broken", reason: `schema ${error.message}` };
  const failure = callFailure(error);
  if (failure.kind === "rejected") return { kind: "rejected", status: failure.status };
  return failure.kind === "gone" ? { kind: "gone" } : failure;
}
