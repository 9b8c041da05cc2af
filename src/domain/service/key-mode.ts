export type KeyMode = "test" | "live";

/** The form that a key's text shows, such as `sk_test_…`; null for none. */
export function keyMode(apiKey: string): KeyMode | null {
  const said = /(?:^|[^a-z])(test|live)(?:[^a-z]|$)/i.exec(apiKey)?.[1]?.toLowerCase();
  return said === "test" || said === "live" ? said : null;
}
