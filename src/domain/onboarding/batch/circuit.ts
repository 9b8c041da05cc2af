export interface Circuit {
  /** Hash of the last completion's message; null when it had none. */
  readonly message: string | null;
  readonly inARow: number;
}

export const CLOSED_CIRCUIT: Circuit = { message: null, inARow: 0 };

/** Counts a completion by the hash of its error message; one without a message closes the circuit: something works. */
export function afterCompletion(circuit: Circuit, message: string | null): Circuit {
  if (message === null) return CLOSED_CIRCUIT;
  return { message, inARow: message === circuit.message ? circuit.inARow + 1 : 1 };
}

/** Whether so many completions in a row had the same message; 0 never opens it. */
export function isOpen({ inARow }: Circuit, limit: number): boolean {
  return limit > 0 && inARow >= limit;
}
