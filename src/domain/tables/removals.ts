/** More removals than this, of more than half of what is known, are more likely a wrong answer than the truth. */
const FEW = 20;

/** What an answer would remove of what is known. */
export interface Removals {
  readonly known: number;
  readonly gone: number;
}

export const NO_REMOVALS: Removals = { known: 0, gone: 0 };

/** A list of which nothing is taken. */
export interface RefusedList extends Removals {
  /** Whether the removals are those of all lists of the run. */
  readonly together?: boolean;
}

/** Why nothing of a list is taken. */
export function refusalOf({ gone, known, together }: RefusedList): string {
  return `list_would_remove ${gone} of ${known}${together ? " in all lists" : ""}`;
}

/** Whether an answer would remove so much that it needs `--full`. Pure. */
export function removesTooMuch({ known, gone }: Removals): boolean {
  return gone > FEW && gone * 2 > known;
}

export function addRemovals(...parts: readonly Removals[]): Removals {
  const sum = (name: keyof Removals) => parts.reduce((total, part) => total + part[name], 0);
  return { known: sum("known"), gone: sum("gone") };
}

/**
 * Chooses the lists of which nothing is taken, with the removals that are too many: a list's own, or those of all lists, with
 * the lists that the run compared before or without them. After "any", none is. Pure.
 */
export function refusedLists<L extends Removals>(
  lists: readonly L[],
  before: Removals | "any",
): { readonly refused: readonly (L & RefusedList)[]; readonly taken: Removals } {
  if (before === "any") return { refused: [], taken: addRemovals(...lists) };
  const alone = lists.filter(removesTooMuch);
  const others = lists.filter((list) => !removesTooMuch(list));
  const now = addRemovals(...others);
  const tooMuch = [now, addRemovals(before, now)].find(removesTooMuch);
  if (tooMuch === undefined) return { refused: alone, taken: now };
  const losing = others.filter(({ gone }) => gone > 0);
  const kept = others.filter(({ gone }) => gone === 0);
  return {
    refused: [...alone, ...losing.map((list) => ({ ...list, ...tooMuch, together: true }))],
    taken: addRemovals(...kept),
  };
}
