import { createHash } from "node:crypto";

/** An id that looks random and is the same for the same seed and facts, whatever was called before. */
export function seededId(prefix: string, ...facts: readonly (string | number)[]): string {
  const digest = createHash("sha256").update(JSON.stringify(facts)).digest("base64url");
  return prefix + digest.replace(/[-_]/g, "0").slice(0, 22);
}
