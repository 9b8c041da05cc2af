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
  { now = Date.now, ...options }: CallOptions & { readonly now?: () => number } = {},
): Promise<R> {
  let text: Promise<string> | undefined;
  let goodUntil = 0;
  let isOver = false;
  // Its life is counted from before the request: the service can't have begun earlier.
  const make = async ({ signal, run, notAfter }: CallOptions) => {
    const { fp_id, scope, fields, decrypt_reason, ttl = TOKEN_TTL.default } = grant;
    const marginMs = Math.min(MARGIN_MS, (ttl * 1000) / 4);
    goodUntil = now() + ttl * 1000 - marginMs;
    const body = { scope, fields: fields as [string, ...string[]] | undefined, decrypt_reason, ttl };
    const terms = { signal, run, notAfter };
    const made = await client.read(createClientToken, { path: { fp_id }, body }, terms);
    const expires = instantMs(made.expires_at);
    if (Number.isFinite(expires)) goodUntil = Math.min(goodUntil, expires - marginMs);
    return made.token;
  };
  const reveal = async (call: CallOptions = options) => {
    if (isOver)
      throw new InputError(
        "the client token was used after its work had ended; nothing was sent. Make a new one",
      );
    if (text === undefined || now() >= goodUntil) text = make(call);
    try {
      return await text;
    } catch (error) {
      text = undefined;
      throw error;
    }
  };
  const hidden = () => HIDDEN;
  const token = { grant, reveal, toJSON: hidden, [inspect.custom]: hidden };
  try {
    return await use(token);
  } finally {
    isOver = true;
    text = undefined;
  }
}
