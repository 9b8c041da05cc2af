import { FAILURE_TYPES } from "../domain/failures.js";

interface LostAnswerOptions extends ErrorOptions {
  /** How many of its answers were not JSON, where that is why the call was given up. */
  readonly unusable?: number;
}

/** Thrown when a write may have taken effect and nothing tells: the program does not send it again by itself. */
export class LostAnswerError extends Error {
  override readonly name = FAILURE_TYPES.lostAnswer;

  /** @param sentAt epoch milliseconds at which it was first sent. */
  constructor(
    readonly operation: string,
    readonly sentAt: number,
    { unusable, ...options }: LostAnswerOptions = {},
  ) {
    const sent = `${operation}: sent at ${new Date(sentAt).toISOString()}`;
    const what =
      unusable === undefined
        ? "its answer was lost"
        : `${unusable} answers to it or about it were not JSON, or not the promised ones: check NIGHTLEDGER_API_URL and any proxy`;
    super(
      `${sent}, and ${what}. Nothing tells whether it took effect, so it is not sent again by itself. Check whether the service ` +
        "carried it out, then request it again if it did not (docs/reference/api-operations.md, Lost answer)",
      options,
    );
  }
}
