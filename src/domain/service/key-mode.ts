/** Whether a secret key is of the service's test or live form. */
export type KeyMode = "test" | "live";

/** Reads a key's form from its text, such as `sk_test_…`; null where it does not say. */
export function keyMode(apiKey: string): KeyMode | null {
  const said = /(?:^|[^a-z])(test|live)(?:[^a-z]|$)/i.exec(apiKey)?.[1]?.toLowerCase();
  return said === "test" || said === "live" ? said : null;
}
