/** The members of a JSON object as their own texts: `JSON.parse` rounds long numbers. The last of a repeated name counts. */
export function rawMembers(json: string): Map<string, string> {
  return new Map(rawParts(json));
}

/** The members of an object, each repeated one too, or the elements of a list. */
export function* rawParts(json: string): Generator<readonly [name: string, text: string]> {
  let depth = 0;
  let name = "";
  let from = 0;
  for (let at = 0; at < json.length; at += 1) {
    const sign = json[at];
    if (sign === '"') {
      const end = endOfText(json, at);
      if (depth === 1 && isKey(json, end)) name = textOf(json.slice(at, end));
      at = end - 1;
      continue;
    }
    const isEnd = sign === "}" || sign === "]";
    if (depth === 1 && (sign === "," || isEnd)) {
      const text = json.slice(from, at).trim();
      if (text !== "") yield [name, text];
    }
    if (depth === 1 && (sign === "," || sign === ":")) from = at + 1;
    if (sign === "{" || sign === "[") {
      if (depth === 0) from = at + 1;
      depth += 1;
    }
    if (isEnd) depth -= 1;
  }
}

const NUMBER = String.raw`-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?`;
const NUMBER_OR_QUOTE = new RegExp(`"|${NUMBER}`, "g");

/**
 * Turns some numbers of a JSON text into texts, before a parser makes doubles of them.
 * @param asText the text for a number after its key; undefined to leave it
 */
export function withNumbersAsText(
  json: string,
  asText: (number: string, key: string | undefined) => string | undefined,
): string {
  const parts: string[] = [];
  let from = 0;
  let key: string | undefined;
  NUMBER_OR_QUOTE.lastIndex = 0;
  for (let match = NUMBER_OR_QUOTE.exec(json); match !== null; match = NUMBER_OR_QUOTE.exec(json)) {
    const { index } = match;
    const [token] = match;
    if (token === '"') {
      // A repeated group would run out of memory in a long text.
      const end = endOfText(json, index);
      if (isKey(json, end)) key = textOf(json.slice(index, end));
      NUMBER_OR_QUOTE.lastIndex = end;
      continue;
    }
    const text = asText(token, key);
    if (text === undefined) continue;
    parts.push(json.slice(from, index), `"${text}"`);
    from = index + token.length;
  }
  return parts.length === 0 ? json : parts.join("") + json.slice(from);
}

/**
 * As {@link withNumbersAsText}, for the values of some keys, five times as fast.
 * @param keys names of letters and underscores
 */
export function withFieldsAsText(
  json: string,
  keys: ReadonlySet<string>,
  asText: (number: string) => string,
): string {
  // Only such an escape can spell a key otherwise.
  if (json.includes("\\u"))
    return withNumbersAsText(json, (number, key) =>
      key !== undefined && keys.has(key) ? asText(number) : undefined,
    );
  // Inside a text each quote is escaped, so this one begins a text, and the colon makes it a key.
  const field = new RegExp(String.raw`((?<!\\)"(?:${[...keys].join("|")})"\s*:\s*)(${NUMBER})`, "g");
  return json.replace(field, (_, before: string, number: string) => `${before}"${asText(number)}"`);
}

/** Nesting that is accepted: `JSON.stringify` fails at some thousand. */
export const DEEPEST = 200;

/** Whether an object of a JSON text has two members of one name, and how deep it nests. */
export function formOf(json: string) {
  const keys: Set<string>[] = [];
  let repeatsKey = false;
  let depth = 0;
  const signs = /["{}[\]]/g;
  for (let match = signs.exec(json); match !== null; match = signs.exec(json)) {
    const { index } = match;
    if (match[0] === "{" || match[0] === "[") depth = Math.max(depth, keys.push(new Set()));
    else if (match[0] !== '"') keys.pop();
    else {
      const end = endOfText(json, index);
      signs.lastIndex = end;
      if (!isKey(json, end)) continue;
      const key = textOf(json.slice(index, end));
      repeatsKey ||= keys.at(-1)?.has(key) === true;
      keys.at(-1)?.add(key);
    }
  }
  return { repeatsKey, depth };
}

/** Numbers to read as text: those that a double writes otherwise, or only those whose value it changes. */
export type ExactNumbers = "as written" | "by value";

/** Parses JSON, with text for each number that a double would change. @throws SyntaxError */
export function parseExactly(json: string, numbers: ExactNumbers): unknown {
  // Most JSON has no such number, and is parsed once.
  const value: unknown = JSON.parse(json);
  const exact = withExactNumbers(json, numbers);
  return exact === json ? value : JSON.parse(exact);
}

/** A number that a double changes has sixteen digits or an exponent. */
const LONG_NUMBER = /\d[\d.]{15}|\d[eE][+-]?\d/;

export function withExactNumbers(json: string, numbers: ExactNumbers): string {
  if (numbers === "by value" && !LONG_NUMBER.test(json)) return json;
  return withNumbersAsText(json, (number) => {
    const double = Number(number);
    if (String(double) === number) return undefined;
    return numbers === "by value" && isSameValue(number, double) ? undefined : number;
  });
}

function isSameValue(number: string, double: number): boolean {
  return Number.isFinite(double) && digitsOf(number) === digitsOf(String(double));
}

/** Without sign, point, exponent and outer zeros. */
function digitsOf(number: string): string {
  return number
    .replace(/e.*$/i, "")
    .replaceAll(/[-.]/g, "")
    .replaceAll(/^0+|0+$/g, "");
}

function isKey(json: string, end: number): boolean {
  let at = end;
  while (/\s/.test(json[at] ?? "")) at += 1;
  return json[at] === ":";
}

/** Most texts have no escapes and need no parser. */
function textOf(json: string): string {
  return json.includes("\\") ? (JSON.parse(json) as string) : json.slice(1, -1);
}

/** The index behind the text that begins at `start`; the end of the JSON for one that never ends. */
function endOfText(json: string, start: number): number {
  for (let quote = json.indexOf('"', start + 1); quote !== -1; quote = json.indexOf('"', quote + 1)) {
    let before = quote;
    while (json[before - 1] === "\\") before -= 1;
    if ((quote - before) % 2 === 0) return quote + 1;
  }
  return json.length;
}
