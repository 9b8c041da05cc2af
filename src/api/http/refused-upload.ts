import { isUploadedEverywhere } from "../../domain/service/vault/vault-identifier.js";
import { RejectedError, TransientError } from "./errors.js";

/** Requests answered 500 after which an upload counts as refused; they take some minutes. */
const MOST_TRIES = 10;

/** An upload's error; a refusal where services are known to answer 500 to its kind for ever, as this one has so often. */
export function uploadError(error: unknown, identifier: string, tries: number): unknown {
  if (!(error instanceof TransientError) || error.status !== 500) return error;
  if (tries < MOST_TRIES || isUploadedEverywhere(identifier)) return error;
  return new RejectedError({ operation: error.operation, sent: true, status: 500 });
}
