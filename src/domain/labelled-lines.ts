/** What a text for people says of one thing: its label, and the words behind it. */
export type Labelled = readonly [label: string, words: string | number | null | readonly string[]];

/**
 * Writes labels in one column and what they say in another. Each text of a list has a line of its own, below the label;
 * null and an empty list leave the label out.
 */
export function labelledLines(said: readonly Labelled[], width = 9): string[] {
  return said.flatMap(([label, words]) => {
    const texts = words === null ? [] : typeof words === "object" ? words : [words];
    return texts.map((text, at) => `${(at === 0 ? label : "").padEnd(width)} ${text}`);
  });
}
