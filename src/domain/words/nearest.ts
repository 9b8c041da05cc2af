const MOST_EDITS = 3;

/** The name that a text most probably means, by Levenshtein distance of at most `most`, and half of a short text. */
export function nearestOf(
  names: readonly string[],
  text: string,
  most = Math.min(MOST_EDITS, Math.floor(text.length / 2)),
): string | undefined {
  let nearest: string | undefined;
  let fewest = most + 1;
  for (const name of names) {
    if (Math.abs(name.length - text.length) >= fewest) continue;
    const edits = editsBetween(name, text);
    if (edits >= fewest) continue;
    fewest = edits;
    nearest = name;
  }
  return nearest;
}

/** `Did you mean …?` behind a sentence; empty for no name. */
export function meantWords(near: string | undefined): string {
  return near === undefined ? "" : ` Did you mean ${near}?`;
}

/** Levenshtein distance. */
function editsBetween(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...b].entries()) {
      const replaced = (row[j] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
