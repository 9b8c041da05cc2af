import { FAILURE_TYPES } from "../domain/failures.js";

/**
 * Thrown when a write may have taken effect at the service, its answer was lost, and nothing tells whether it
 * did: it is not sent again by itself.
 */
export class LostAnswerError extends Error {
  override readonly name = FAILURE_TYPES.lostAnswer;

  /** @param sentAt epoch milliseconds at which it was sent. */
  constructor(
    readonly operation: string,
    readonly sentAt: number,
    options?: ErrorOptions,
  ) {
    super(
      `${operation}: sent at ${new Date(sentAt).toISOString()}, and its answer was lost. Whether it took effect is ` +
        "not known, so it was not sent again. Look at the service, then ask for it anew if it did not " +
        "(docs/operations.md, Lost answer)",
      options,
    );
  }
}
