import { FAILURE_TYPES } from "./failures.js";

/** Thrown when the service or Temporal can't be reached. Exit code 3. The message says what to check. */
export class UnreachableError extends Error {
  override readonly name = FAILURE_TYPES.unreachable;
}
