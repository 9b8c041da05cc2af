/** How often the same message came in a row. */
export interface Circuit {
  /** Hash of the last completion's message; null when it had none. */
  readonly message: string | null;
  readonly inARow: number;
}

export const CLOSED_CIRCUIT: Circuit = { message: null, inARow: 0 };

/**
 * One more completion. A completion without a message closes the circuit again: something works.
 *
 * @param message hash of the error message that the row ended with; null where it ended well.
 */
export function afterCompletion(circuit: Circuit, message: string | null): Circuit {
  if (message === null) return CLOSED_CIRCUIT;
  return { message, inARow: message === circuit.message ? circuit.inARow + 1 : 1 };
}

/** Whether so many completions in a row had the same message; 0 never opens it. */
export function isOpen({ inARow }: Circuit, limit: number): boolean {
  return limit > 0 && inARow >= limit;
}
