/** What pairing needs to know of a transaction between two changes. Amounts are exact texts of one scale. */
export interface TransactionState {
  /** Of the change that gave it this state; undefined where nobody asks. */
  readonly sequence?: number;
  readonly account_id: string | null;
  readonly currency: string | null;
  readonly type: string | null;
  readonly signed_amount: string | null;
  /** The number of its day, as {@link dayNumber} counts. */
  readonly day: number | null;
  readonly pending: boolean | null;
  readonly merchant_id: string | null;
  readonly description: string | null;
}

const DAY_MS = 86_400_000;

/** Gives the number of a day, so that days can be counted. */
export function dayNumber(date: string): number {
  return Date.parse(`${date}T00:00:00Z`) / DAY_MS;
}

/** Gives the key that two states share if their signed amounts are equal; none if a value that it needs is missing. */
export function amountKeys(state: TransactionState): string[] {
  const { signed_amount } = state;
  return signed_amount === null ? [] : [keyOf(state, "amount", signed_amount)];
}

/**
 * Gives the keys under which a pending transaction looks for posted ones of the same merchant: the same `merchant_id`, or
 * the same description where at least one of the two has no merchant.
 */
export function merchantLookups(state: TransactionState): string[] {
  const { merchant_id: merchant, description } = withoutBlanks(state);
  return [
    ...(merchant === null ? [] : [keyOf(state, "merchant", merchant)]),
    ...(description === null ? [] : [keyOf(state, "unnamed", description)]),
    ...(merchant === null && description !== null ? [keyOf(state, "named", description)] : []),
  ];
}

/** Gives the keys under which a posted transaction is found by {@link merchantLookups}: no two lead to the same pair. */
export function merchantKeys(state: TransactionState): string[] {
  const { merchant_id: merchant, description } = withoutBlanks(state);
  return [
    ...(merchant === null ? [] : [keyOf(state, "merchant", merchant)]),
    ...(description === null ? [] : [keyOf(state, merchant === null ? "unnamed" : "named", description)]),
  ];
}

function withoutBlanks({ merchant_id, description }: TransactionState) {
  const filled = (text: string | null) => (text === null || text.trim() === "" ? null : text);
  return { merchant_id: filled(merchant_id), description: filled(description) };
}

/** Pairs stay within one account, currency and type, whatever else they share. */
function keyOf({ account_id, currency, type }: TransactionState, kind: string, value: string): string {
  return JSON.stringify([account_id, currency, type, kind, value]);
}
