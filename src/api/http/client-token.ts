import { inspect } from "node:util";
import { InputError } from "../../domain/failures.js";
import { type ClientTokenGrant, TOKEN_TTL } from "../../domain/service/client-token-grant.js";
import { instantMs } from "../../domain/service/instant.js";
import { createClientToken } from "../operations/user.js";
import type { CallOptions, ClientToken } from "./call-options.js";
import type { ApiClient } from "./client.js";

const MARGIN_MS = 30_000;
const HIDDEN = "[client token]";

/** Makes a client token, again whenever its life is over, lets `use` call with it, and forgets it. */
export async function withClientToken<R>(
  client: ApiClient,
  grant: ClientTokenGrant,
  use: (token: ClientToken) => Promise<R>,
  options: CallOptions & { readonly now?: () => number } = {},
): Promise<R> {
  const token = new RenewedToken(client, grant, options);
  try {
    return await use(token);
  } finally {
    token.forget();
  }
}

class RenewedToken implements ClientToken {
  #text: Promise<string> | undefined;
  #goodUntil = 0;
  #forgotten = false;
  readonly #now: () => number;

  constructor(
    readonly client: ApiClient,
    readonly grant: ClientTokenGrant,
    readonly options: CallOptions & { readonly now?: () => number },
  ) {
    this.#now = options.now ?? Date.now;
  }

  async reveal(options: CallOptions = this.options): Promise<string> {
    if (this.#forgotten) {
      throw new InputError(
        "the client token was used after its work had ended; nothing was sent. Make a new one",
      );
    }
    if (this.#text === undefined || this.#now() >= this.#goodUntil) this.#text = this.#make(options);
    try {
      return await this.#text;
    } catch (error) {
      this.#text = undefined;
      throw error;
    }
  }

  forget(): void {
    this.#forgotten = true;
    this.#text = undefined;
  }

  // Its life is counted from before the request: the service can't have begun earlier.
  async #make({ signal, run, notAfter }: CallOptions): Promise<string> {
    const { fp_id, scope, fields, decrypt_reason, ttl = TOKEN_TTL.default } = this.grant;
    const lifeMs = ttl * 1000;
    const marginMs = Math.min(MARGIN_MS, lifeMs / 4);
    this.#goodUntil = this.#now() + lifeMs - marginMs;
    const body = { scope, fields: fields as [string, ...string[]] | undefined, decrypt_reason, ttl };
    const made = await this.client.read(
      createClientToken,
      { path: { fp_id }, body },
      { signal, run, notAfter },
    );
    const expires = instantMs(made.expires_at);
    if (Number.isFinite(expires)) this.#goodUntil = Math.min(this.#goodUntil, expires - marginMs);
    return made.token;
  }

  toJSON(): string {
    return HIDDEN;
  }

  [inspect.custom](): string {
    return HIDDEN;
  }
}
