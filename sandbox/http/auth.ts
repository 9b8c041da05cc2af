import { Refusal } from "./answer.js";

/** The secret keys that are good, and those that were revoked with the status they are answered with. */
export class KeyRing {
  readonly #keys = new Map<string, 401 | 403 | "good">();

  constructor(keys: readonly string[]) {
    for (const key of keys) this.#keys.set(key, "good");
  }

  add(key: string): void {
    this.#keys.set(key, "good");
  }

  revoke(key: string, status: 401 | 403 = 401): void {
    this.#keys.set(key, status);
  }

  /**
   * Lets a call pass whose `Authorization` holds a good key as user name and an empty password
   * (docs/reference/service.md, "Authentication"). Gives the key.
   */
  check(authorization: string | undefined): string {
    const match = /^Basic ([A-Za-z0-9+/]+=*)$/.exec(authorization ?? "");
    const credentials = match ? Buffer.from(match[1]!, "base64").toString() : "";
    const key = credentials.endsWith(":") ? credentials.slice(0, -1) : undefined;
    const state = key === undefined ? undefined : this.#keys.get(key);
    if (key !== undefined && state === "good") return key;
    if (state === 403) throw new Refusal(403, "forbidden", "this key may no longer do that");
    throw new Refusal(
      401,
      "unauthorized",
      "a secret key as the Basic user name and an empty password are needed",
    );
  }
}
