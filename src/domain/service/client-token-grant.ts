/** docs/reference/service.md, "Client tokens". */
export const TOKEN_SCOPES = [
  "vault",
  "decrypt",
  "vault_and_decrypt",
  "decrypt_download",
  "vault_card",
] as const;
type TokenScope = (typeof TOKEN_SCOPES)[number];

/** Seconds (docs/reference/service.md, "Limits"). */
export const TOKEN_TTL = { min: 60, max: 86_400, default: 1800 } as const;

export interface ClientTokenGrant {
  readonly fp_id: string;
  readonly scope: TokenScope;
  readonly fields?: readonly string[] | undefined;
  readonly decrypt_reason?: string | undefined;
  /** Seconds. */
  readonly ttl?: number | undefined;
}

/** Why a token of this grant can't write or decrypt these fields; undefined when it can. */
export function grantProblem(
  grant: ClientTokenGrant,
  use: "decrypt" | "vault",
  fields: readonly string[],
): string | undefined {
  if (!allows(grant.scope, use)) return `a client token of scope ${grant.scope} can't ${USE_WORDS[use]}`;
  if (grant.scope === "decrypt_download" && fields.length > 1) {
    return "a client token of scope decrypt_download opens a single piece of data";
  }
  const missing = grant.fields === undefined ? [] : fields.filter((field) => !grant.fields?.includes(field));
  return missing.length === 0
    ? undefined
    : `the client token was made without ${missing.length} of the fields`;
}

const USE_WORDS = { decrypt: "decrypt", vault: "write" } as const;

function allows(scope: TokenScope, use: "decrypt" | "vault"): boolean {
  if (scope === "vault_and_decrypt") return true;
  return use === "decrypt"
    ? scope === "decrypt" || scope === "decrypt_download"
    : scope === "vault" || scope === "vault_card";
}
