import type { Clock } from "../clock.js";
import { Refusal, refuse } from "../http/answer.js";
import { seededId } from "../seeded-id.js";
import { Fields } from "./fields.js";
import { checkIdentifiers } from "./identifiers.js";

export const SCOPES = ["vault", "decrypt", "vault_and_decrypt", "decrypt_download", "vault_card"] as const;
type TokenScope = (typeof SCOPES)[number];

const TTL = { least: 60, most: 86_400, usual: 1_800 };

/** What a client token is made of (docs/reference/service.md, "Client tokens"). */
export interface TokenGrant {
  readonly scope: TokenScope;
  readonly fields?: readonly string[] | undefined;
  readonly decrypt_reason?: string | undefined;
  /** Seconds. */
  readonly ttl?: number | undefined;
}

/** A client token as the service keeps it. */
export interface ClientToken extends TokenGrant {
  readonly token: string;
  /** The user or business it is for. */
  readonly entity_id: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** Reads what a client token is asked for. @throws Refusal 400 */
export function tokenGrant(body: unknown): TokenGrant & { ttl: number } {
  const fields = new Fields(body, ["scope", "fields", "decrypt_reason", "ttl"]);
  fields.required("scope");
  const scope = fields.oneOf("scope", SCOPES)!;
  const identifiers = fields.texts("fields");
  if (scope === "vault_card" && identifiers) refuse('body: field "fields": not with scope vault_card');
  checkIdentifiers("client_token", identifiers ?? []);
  return {
    scope,
    fields: identifiers,
    decrypt_reason: fields.text("decrypt_reason"),
    ttl: fields.integer("ttl", TTL.least, TTL.most) ?? TTL.usual,
  };
}

/**
 * Whether a token lets its bearer do something with an identifier; one without `fields` opens none. `vault_card` opens
 * a card under an alias of the service's choice, so none of the data identifiers.
 */
function permits({ scope, fields }: TokenGrant, use: "vault" | "decrypt", identifier: string): boolean {
  const uses: Readonly<Record<TokenScope, readonly string[]>> = {
    vault: ["vault"],
    decrypt: ["decrypt"],
    vault_and_decrypt: ["vault", "decrypt"],
    decrypt_download: ["decrypt"],
    vault_card: [],
  };
  return uses[scope].includes(use) && fields?.includes(identifier) === true;
}

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

  /** What the tokens of an entity that were given out allow, the first one first. */
  grants(entityId: string): TokenGrant[] {
    const own = [...this.#tokens.values()].filter((one) => one.entity_id === entityId);
    return own.map(({ scope, fields, decrypt_reason, ttl }) => ({ scope, fields, decrypt_reason, ttl }));
  }

  /** How many were made, and how many of them are still good. */
  counts(): { made: number; good: number } {
    const now = this.clock.now();
    return { made: this.#made, good: [...this.#tokens.values()].filter((one) => one.expiresAt > now).length };
  }
}
