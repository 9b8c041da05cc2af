import { scryptSync } from "node:crypto";

/** Tells one secret from another. Slow to make, so that nobody finds a short secret by trying. */
export function secretPrint(secret: string, salt: string): string {
  return scryptSync(secret, salt, 16).toString("hex");
}
