/** Removing more than these, and more than half of a list, is more likely a wrong answer. */
const FEW = 20;

export interface Removals {
  readonly known: number;
  readonly gone: number;
}

export const NO_REMOVALS: Removals = { known: 0, gone: 0 };

export interface RefusedList extends Removals {
  /** Of all lists of the run. */
  readonly together?: boolean;
}

export function refusalOf({ gone, known, together }: RefusedList): string {
  return `list_would_remove ${gone} of ${known}${together ? " in all lists" : ""}`;
}

/** Whether the removals need `--full`. */
export function removesTooMuch({ known, gone }: Removals): boolean {
  return gone > FEW && gone * 2 > known;
}

export function addRemovals(...parts: readonly Removals[]): Removals {
  const sum = (name: keyof Removals) => parts.reduce((total, part) => total + part[name], 0);
  return { known: sum("known"), gone: sum("gone") };
}

/** The lists that remove too much, each by itself or all together. After "any", none does. */
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
