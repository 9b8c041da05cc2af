import type { IncomingHttpHeaders } from "node:http";

/** The value of a header; of one that comes several times, as where a proxy adds its own, the first. */
export function headerOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}
