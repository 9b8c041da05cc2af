/** Edits at most between a name and what it was probably meant to be. */
const MOST_EDITS = 3;

/**
 * The name that a text most probably means, by how few letters differ; undefined where all need more than `most` edits: of
 * a short text, half of its letters.
 */
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

/** The question to ask of a wrong name, after a sentence; empty where no name is near. */
export function meantWords(near: string | undefined): string {
  return near === undefined ? "" : ` Did you mean ${near}?`;
}

/** Counts the letters to insert, delete or replace (Levenshtein). */
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
