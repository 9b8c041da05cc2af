export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The object in a JSON text; undefined for anything else. */
export function jsonObjectOf(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** JSON with members in code-unit order: equal values have equal texts. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, item: unknown) => (isJsonObject(item) ? sorted(item) : item));
}

function sorted(record: Record<string, unknown>): Record<string, unknown> {
  const names = Object.keys(record);
  // `Object.fromEntries` keeps a field named `__proto__` a field.
  return Object.fromEntries(names.sort().map((name) => [name, record[name]]));
}
