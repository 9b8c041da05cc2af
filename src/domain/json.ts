/** Whether a JSON value is an object. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The object that a JSON text holds; undefined where it is no JSON, or holds something else. */
export function jsonObjectOf(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** JSON text of a value with the names of every object in code-unit order: equal values have equal texts. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, item: unknown) => (isJsonObject(item) ? sorted(item) : item));
}

function sorted(record: Record<string, unknown>): Record<string, unknown> {
  const names = Object.keys(record);
  // `Object.fromEntries` keeps a field named `__proto__` a field.
  return Object.fromEntries(names.sort().map((name) => [name, record[name]]));
}

/**
 * The members of a JSON object, each value as the text that it came as: `JSON.parse` rounds numbers of many digits. Of
 * members with one name the last one counts, as it does there.
 *
 * @param json text of an object that `JSON.parse` takes
 */
export function rawMembers(json: string): Map<string, string> {
  const members = new Map<string, string>();
  let depth = 0;
  let name: string | undefined;
  let from = 0;
  for (let at = 0; at < json.length; at += 1) {
    const sign = json[at];
    if (sign === '"') {
      const end = endOfText(json, at);
      if (depth === 1 && name === undefined) name = JSON.parse(json.slice(at, end)) as string;
      at = end - 1;
      continue;
    }
    if (sign === ":" && depth === 1) from = at + 1;
    if ((sign === "," || sign === "}") && depth === 1 && name !== undefined) {
      members.set(name, json.slice(from, at).trim());
      name = undefined;
    }
    if (sign === "{" || sign === "[") depth += 1;
    if (sign === "}" || sign === "]") depth -= 1;
  }
  return members;
}

/** The index behind a text that begins at a quote. */
function endOfText(json: string, start: number): number {
  for (let quote = json.indexOf('"', start + 1); ; quote = json.indexOf('"', quote + 1)) {
    let before = quote;
    while (json[before - 1] === "\\") before -= 1;
    if ((quote - before) % 2 === 0) return quote + 1;
  }
}
