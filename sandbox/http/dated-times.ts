import type { SandboxState } from "../assemble.js";

/**
 * The JSON of rows as it is served. Behaving so, each day is a date-time at midnight, and an amount that ends in 0 a JSON
 * number: every tenth of random cents.
 */
export function servedRows({ service }: Pick<SandboxState, "service">, json: string): string {
  if (!service.behaves.has("dated-times")) return json;
  return json
    .replace(/("date":"\d{4}-\d\d-\d\d)"/g, '$1T00:00:00Z"')
    .replace(/"amount":"(-?\d+\.\d*0)"/g, '"amount":$1');
}
