const HIDDEN = "[value]";
const MOST_VALUES = 200;
const MOST_CHARACTERS = 64 * 1024;

/** An escape (JSON, HTML, address) or an invisible sign may write a value otherwise. */
const ESCAPE = /\\|%[\da-f]{2}|&#?\w+;/i;
const INVISIBLE = /[\p{C}\p{Default_Ignorable_Code_Point}\ufffd]/u;

const WORD = /[\p{L}\p{N}\p{M}]+/gu;
/** `A n n`: three letters or more, each alone. */
const SPELLED = /(?<![\p{L}\p{N}])[\p{L}\p{N}](?:[^\p{L}\p{N}]{1,3}[\p{L}\p{N}](?![\p{L}\p{N}])){2,}/gu;
const BESIDE = /\[value\](?:[^\p{L}\p{N}]{0,3}\[value\])+/gu;

/**
 * A text of the service as one line, with `[value]` for each word that may quote a value: a word within a value, or one
 * with a word of a value in it, whatever case, accents and punctuation. Shorter words than three letters count only
 * whole. In doubt it hides: undefined where an escape or an invisible sign could hide a value, and for more than 200
 * values or 64 KB.
 * @param values texts, numbers, and what holds such
 */
export function withoutValues(text: string, values: readonly unknown[]): string | undefined {
  const line = text.replace(/[\s\p{Z}]+/gu, " ").trim();
  const given = values.flatMap(textsOf);
  const characters = given.reduce((sum, { length }) => sum + length, 0);
  if (INVISIBLE.test(line) || ESCAPE.test(line)) return undefined;
  if (given.length > MOST_VALUES || characters > MOST_CHARACTERS) return undefined;
  const wordsOf = given.map((value) => folded(value).match(WORD) ?? []);
  const whole = wordsOf.map((words) => words.join(""));
  const words = new Set(wordsOf.flat());
  const long = [...words].filter(isLong);
  const hidden = (word: string) => {
    const own = folded(word);
    const isIn = own.length >= 3 && whole.some((value) => value.includes(own));
    return isIn || words.has(own) || long.some((one) => own.includes(one)) ? HIDDEN : word;
  };
  const parts = line.replace(SPELLED, HIDDEN).split(HIDDEN);
  return parts
    .map((part) => part.replace(WORD, hidden))
    .join(HIDDEN)
    .replace(BESIDE, HIDDEN);
}

function textsOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value === "number" || typeof value === "bigint") return [String(value)];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(textsOf);
}

function folded(text: string): string {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toUpperCase().toLowerCase();
}

/** Whether it is looked for inside of words: in scripts with many signs, two letters are a name. */
function isLong(word: string): boolean {
  return word.length >= (/^[\0-\x7f]*$/.test(word) ? 3 : 2);
}
