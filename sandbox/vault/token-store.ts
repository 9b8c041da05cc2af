import type { Clock } from "../clock.js";
import { Refusal } from "../http/answer.js";
import { seededId } from "../seeded-id.js";
import { type ClientToken, permits, type TokenGrant } from "./client-token.js";

/** Client tokens that were given out. */
export class TokenStore {
  readonly #tokens = new Map<string, ClientToken>();
  #made = 0;

  constructor(
    private readonly clock: Clock,
    private readonly seed: string | number,
  ) {}

  /**
   * Makes a token for a user; or for a business, which no documented operation does
   * (docs/reference/service.md, "Client tokens").
   */
  create(entityId: string, grant: TokenGrant): ClientToken {
    const token = seededId("fptok_", this.seed, ++this.#made);
    const expiresAt = this.clock.now() + (grant.ttl ?? 1_800) * 1000;
    const made = { ...grant, token, entity_id: entityId, expiresAt };
    this.#tokens.set(token, made);
    return made;
  }

  /** The token of a client operation's header. @throws Refusal 401 */
  check(header: string | readonly string[] | undefined): ClientToken {
    const token = typeof header === "string" ? this.#tokens.get(header) : undefined;
    if (!token) throw new Refusal(401, "unauthorized", "a client token in x-fp-authorization is needed");
    if (token.expiresAt <= this.clock.now()) {
      throw new Refusal(401, "unauthorized", "this client token has expired");
    }
    return token;
  }

  /** @throws Refusal 403 where the token does not open every one of the identifiers. */
  demand(token: ClientToken, use: "vault" | "decrypt", identifiers: readonly string[]): void {
    const closed = identifiers.filter((name) => !permits(token, use, name));
    if (closed.length === 0) return;
    throw new Refusal(403, "forbidden", `this client token may not ${use} ${closed.join(", ")}`);
  }

  /** Ends every token given out so far. */
  expireAll(): void {
    this.#tokens.clear();
  }

  /** How many were made, and how many of them are still good. */
  counts(): { made: number; good: number } {
    const now = this.clock.now();
    return { made: this.#made, good: [...this.#tokens.values()].filter((one) => one.expiresAt > now).length };
  }
}
