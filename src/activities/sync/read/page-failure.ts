import { EnvelopeError } from "../../../streams/envelope-error.js";
import { type CallFailure, callFailure } from "../../call-failure.js";

/** As {@link callFailure}, of a page: also its envelope may be wrong. @throws the error when it is none of these. */
export function pageFailure(error: unknown): CallFailure {
  if (error instanceof EnvelopeError) return { kind: "broken", reason: `schema ${error.message}` };
  return callFailure(error);
}
