/** JSON text of a value with the names of every object in code-unit order: equal values have equal texts. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, item: unknown) => (isRecord(item) ? sorted(item) : item));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function sorted(record: Record<string, unknown>): Record<string, unknown> {
  const names = Object.keys(record);
  // `Object.fromEntries` keeps a field named `__proto__` a field.
  return Object.fromEntries(names.sort().map((name) => [name, record[name]]));
}
