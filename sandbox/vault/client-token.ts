import { refuse } from "../http/answer.js";
import { Fields } from "./fields.js";
import { checkIdentifiers } from "./identifiers.js";

const SCOPES = ["vault", "decrypt", "vault_and_decrypt", "decrypt_download", "vault_card"] as const;
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
export function permits(
  { scope, fields }: TokenGrant,
  use: "vault" | "decrypt",
  identifier: string,
): boolean {
  const uses: Readonly<Record<TokenScope, readonly string[]>> = {
    vault: ["vault"],
    decrypt: ["decrypt"],
    vault_and_decrypt: ["vault", "decrypt"],
    decrypt_download: ["decrypt"],
    vault_card: [],
  };
  return uses[scope].includes(use) && fields?.includes(identifier) === true;
}
