import { FAILURE_TYPES } from "../domain/failures.js";

interface LostAnswerOptions extends ErrorOptions {
  /** How many of the answers to it were not JSON, where that is why it is given up. */
  readonly unusable?: number;
}

/**
 * Thrown when a write may have taken effect at the service, its answer was lost, and nothing tells whether it
 * did: it is not sent again by itself.
 */
export class LostAnswerError extends Error {
  override readonly name = FAILURE_TYPES.lostAnswer;

  /** @param sentAt epoch milliseconds at which it was first sent. */
  constructor(
    readonly operation: string,
    readonly sentAt: number,
    { unusable, ...options }: LostAnswerOptions = {},
  ) {
    const sent = `${operation}: sent at ${new Date(sentAt).toISOString()}`;
    super(
      unusable === undefined
        ? `${sent}, and its answer was lost. Whether it took effect is not known, so it was not sent again. ` +
            "Look at the service, then ask for it anew if it did not (docs/reference/api-operations.md, Lost answer)"
        : `${sent}, and ${unusable} answers to it or about it were no JSON. Whether it took effect is not known, so ` +
            "it is not sent again by itself. Check NIGHTLEDGER_API_URL and any proxy before the service, look " +
            "whether it was carried out, then ask for it again (docs/reference/api-operations.md, Lost answer)",
      options,
    );
  }
}
