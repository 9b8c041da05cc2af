import type { Operation } from "../operations/operation.js";

/**
 * Writes named options as headers: a list as repeated lines, a record under the prefix of its header
 * (`x-fp-proxy-fwd-*`), anything else as one line.
 */
export function headerLines(
  operation: Operation,
  options: Readonly<Record<string, unknown>>,
): Record<string, string | string[]> {
  const lines: Record<string, string | string[]> = {};
  for (const [option, value] of Object.entries(options)) {
    const header = operation.headerNames?.[option];
    if (header === undefined || value === undefined) continue;
    if (Array.isArray(value)) lines[header] = value.map(String);
    else if (typeof value !== "object" || value === null) lines[header] = String(value);
    else for (const [name, text] of Object.entries(value)) lines[prefixed(header, name)] = String(text);
  }
  return lines;
}

/** The header under which a forwarded one travels. */
export function prefixed(pattern: string, name: string): string {
  return `${pattern.slice(0, -1)}${name.toLowerCase()}`;
}
