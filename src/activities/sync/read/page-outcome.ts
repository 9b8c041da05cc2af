import { joinNewFields } from "../../../domain/counts.js";
import type { LinkOutcome } from "../../../domain/sync/link-reading.js";
import type { PageReading } from "../../../streams/page-reading.js";
import { EnvelopeError } from "../../../streams/raw-json.js";
import type { Listing } from "../../../streams/stream.js";
import { callFailure } from "../../failure.js";
import type { SliceState } from "./slice-state.js";

export type PageFailure = Exclude<LinkOutcome, { kind: "complete" | "torn" }>;

/**
 * Turns what a page's call or its reading threw into an outcome, without the service's words, which may be personal.
 * @throws the error itself when it does not come from the service
 */
export function pageFailure(error: unknown): PageFailure {
  if (error instanceof EnvelopeError) return { kind: "broken", reason: `schema ${error.message}` };
  const failure = callFailure(error);
  if (failure.kind === "rejected") return { kind: "rejected", status: failure.status };
  return failure.kind === "gone" ? { kind: "gone" } : failure;
}

/** A service may make names of customers' data. */
const PLAIN_NAME = /^[A-Za-z_][\w.]{0,63}$/;

/** Logs values that fit no column and break no rule (docs/use/tables.md, "Accepted values"). */
export function tellOddities(
  state: SliceState,
  { name: stream }: Pick<Listing, "name">,
  { unknownFields, unreadableScores }: Pick<PageReading, "unknownFields" | "unreadableScores">,
): void {
  const { warnings } = state.slice.deps;
  const { runId } = state.input;
  if (unknownFields.size > 0) {
    const fields = [...unknownFields].map((path) => `${stream}.${PLAIN_NAME.test(path) ? path : "?"}`);
    state.newFields = joinNewFields(state.newFields, fields);
    const message = "the service has new fields; kept them in the column other_fields";
    warnings.once(runId, `fields ${stream}`, { stream, fields: joinNewFields(fields) }, message);
  }
  if (unreadableScores > 0) {
    const message = "set confidences that are not numbers to null; counts are those of one page";
    warnings.once(runId, `scores ${stream}`, { stream, scores: unreadableScores }, message);
  }
}
