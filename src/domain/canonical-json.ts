import { isJsonObject } from "./json.js";

/** JSON text of a value with the names of every object in code-unit order: equal values have equal texts. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, item: unknown) => (isJsonObject(item) ? sorted(item) : item));
}

function sorted(record: Record<string, unknown>): Record<string, unknown> {
  const names = Object.keys(record);
  // `Object.fromEntries` keeps a field named `__proto__` a field.
  return Object.fromEntries(names.sort().map((name) => [name, record[name]]));
}
