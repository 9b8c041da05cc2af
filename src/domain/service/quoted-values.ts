const TAKEN_OUT = "[value]";
/** From this many letters and digits on, a value counts anywhere, in any case. */
const LONG = 5;
/** A value with fewer letters and digits counts only as a separate word. */
const SHORT = 3;
/** Letters by which part of a value is recognized: beside dots or stars, and alone. */
const PART = 4;
const WHOLE_PART = 12;
/** A longer value is recognized by its beginning. */
const MOST_FOLDED = 4_096;

/** `[from, to)` of a text. */
type Range = readonly [from: number, to: number];

/**
 * A text of the service without the values that it quotes, each replaced by `[value]`. A quote counts whatever its
 * case, accents, spaces and punctuation: `+1 (415) 555-0100` is `+14155550100`. A value of one or two letters or
 * digits (a country, a count) counts as a word of its own only, one of three or four also inside a word if it is
 * written alike. A part of a value counts beside dots or stars (`1600 Penn…`, `***6789`), or from twelve letters on.
 *
 * @param values texts, numbers, and whatever holds such; true and false are no values
 */
export function withoutValues(text: string, values: readonly unknown[]): string {
  const composed = text.normalize("NFC");
  const folded = fold(composed);
  const known = new Map<string, string>();
  for (const value of values.flatMap(textsOf)) known.set(value.trim(), value.trim().normalize("NFC"));
  const ranges = [...known.values()].flatMap((value) => quotesOf(composed, folded, value));
  return replaced(composed, ranges);
}

function textsOf(value: unknown): string[] {
  if (typeof value === "string") return [value, ...shorterDecimal(value)];
  if (typeof value === "number" || typeof value === "bigint") return [String(value)];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(textsOf);
}

/** `12.50` is quoted as `12.5`, where the service reads it as a number. */
function shorterDecimal(text: string): string[] {
  return /^[-+]?\d+\.\d*0$/.test(text) ? [text.replace(/\.?0+$/, "")] : [];
}

/** The letters and digits of a text, lower case and without accents, with their positions. */
interface Folded {
  readonly text: string;
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

function fold(text: string, most = Number.POSITIVE_INFINITY): Folded {
  const starts: number[] = [];
  const ends: number[] = [];
  let folded = "";
  let at = 0;
  for (const char of text) {
    for (const letter of lettersOf(char)) {
      folded += letter;
      for (let unit = 0; unit < letter.length; unit += 1) {
        starts.push(at);
        ends.push(at + char.length);
      }
    }
    at += char.length;
    if (folded.length >= most) break;
  }
  return { text: folded, starts, ends };
}

function lettersOf(char: string): readonly string[] {
  if (char > "\u007f")
    return (
      char
        .normalize("NFKD")
        .toLowerCase()
        .match(/[\p{L}\p{N}]/gu) ?? []
    );
  const lower = char.toLowerCase();
  return (lower >= "a" && lower <= "z") || (lower >= "0" && lower <= "9") ? [lower] : [];
}

function quotesOf(text: string, folded: Folded, value: string): Range[] {
  const name = fold(value, MOST_FOLDED).text;
  if (name === "") return [];
  const size = name.length;
  const found = placesOf(folded.text, name)
    .map((at) => rangeOf(folded, at, size))
    .filter((range) => isQuote(text, range, value, size))
    .map((range) => withPunctuation(text, range, value));
  if (size > PART) found.push(...partsOf(text, folded, name));
  return found;
}

function isQuote(text: string, range: Range, value: string, size: number): boolean {
  const quote = text.slice(...range);
  // Letters of two words, where the value is one.
  const isSplit = isSeparated(quote) && !isSeparated(value);
  if (isSplit && size <= LONG) return false;
  if (size >= LONG) return true;
  const isAlike = quote === value || value.includes(quote);
  if (size >= SHORT) return isAlike || isWord(text, range);
  // Another case of a short one may be any word, such as `in` of Indiana, unless it is quoted.
  return isWord(text, range) && (isAlike || isBetweenQuotes(text, range));
}

const isSeparated = (text: string): boolean => /[\p{L}\p{N}].*[^\p{L}\p{N}\p{M}].*[\p{L}\p{N}]/su.test(text);

function isWord(text: string, [from, to]: Range): boolean {
  return !/[\p{L}\p{N}]$/u.test(text.slice(0, from)) && !/^[\p{L}\p{N}]/u.test(text.slice(to));
}

function isBetweenQuotes(text: string, [from, to]: Range): boolean {
  return /["'`“‘«([<{=:]\s?$/.test(text.slice(0, from)) && /^\s?(["'`”’»)\]>},;]|$)/.test(text.slice(to));
}

/** The beginning or the end of a value, where it is quoted in part. */
function partsOf(text: string, folded: Folded, name: string): Range[] {
  const heads = placesOf(folded.text, name.slice(0, PART)).flatMap((at): Range[] => {
    let size = PART;
    while (size < name.length && folded.text[at + size] === name[size]) size += 1;
    const range = rangeOf(folded, at, size);
    return size >= WHOLE_PART || /^["' ]?(\.\.|…|\*)/.test(text.slice(range[1])) ? [range] : [];
  });
  const tails = placesOf(folded.text, name.slice(-PART)).flatMap((at): Range[] => {
    let size = PART;
    while (at > 0 && size < name.length && folded.text[at - 1] === name.at(-size - 1)) {
      at -= 1;
      size += 1;
    }
    const range = rangeOf(folded, at, size);
    const isEnd = /(\.\.|…|\*|•)[-. ]?$/.test(text.slice(0, range[0]));
    // The last digits of a number are a way to write it.
    const isLastDigits = /^\d{7,}$/.test(name) && size === PART && isWord(text, range);
    return size >= WHOLE_PART || isEnd || isLastDigits ? [range] : [];
  });
  return [...heads, ...tails];
}

function placesOf(text: string, part: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1)) places.push(at);
  return places;
}

function rangeOf({ starts, ends }: Folded, at: number, size: number): Range {
  return [starts[at] ?? 0, ends[at + size - 1] ?? 0];
}

/** A range with what the value itself begins and ends with. */
function withPunctuation(text: string, [from, to]: Range, value: string): Range {
  const [before = ""] = /^[^\p{L}\p{N}]*/u.exec(value) ?? [];
  const [after = ""] = /[^\p{L}\p{N}]*$/u.exec(value) ?? [];
  return [
    text.slice(0, from).endsWith(before) ? from - before.length : from,
    text.startsWith(after, to) ? to + after.length : to,
  ];
}

function replaced(text: string, ranges: readonly Range[]): string {
  let left = "";
  let at = 0;
  let open: Range | undefined;
  for (const range of [...ranges].sort((a, b) => a[0] - b[0])) {
    if (open !== undefined && range[0] < open[1]) {
      open = [open[0], Math.max(open[1], range[1])];
      continue;
    }
    if (open !== undefined) {
      left += text.slice(at, open[0]) + TAKEN_OUT;
      at = open[1];
    }
    open = range;
  }
  return open === undefined ? text : left + text.slice(at, open[0]) + TAKEN_OUT + text.slice(open[1]);
}
