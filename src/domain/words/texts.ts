/** `1.5 MB`; powers of 1,000, as file systems count. */
export function bytesWords(bytes: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1_000 ** power;
  return `${power === 0 ? value : value.toFixed(1)} ${units[power]}`;
}

/** Quotes a word for a POSIX shell. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

export function commandLine(words: readonly string[]): string {
  return words.map(shellWord).join(" ");
}

/** A line for people: its label, and the words behind it. */
export type Labelled = readonly [label: string, words: string | number | null | readonly string[]];

/** Labels in one column, words in another; null and an empty list are left out. */
export function labelledLines(said: readonly Labelled[], width = 9): string[] {
  return said.flatMap(([label, words]) => {
    const texts = words === null ? [] : typeof words === "object" ? words : [words];
    return texts.map((text, at) => `${(at === 0 ? label : "").padEnd(width)} ${text}`);
  });
}
