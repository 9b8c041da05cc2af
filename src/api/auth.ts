import { InputError } from "../domain/input-error.js";
import type { Operation } from "./operation.js";

/** HTTP Basic with the secret key as user name and no password (SERVICE.md part 5). */
export function basicAuthorization(apiKey: string): string {
  return `Basic ${Buffer.from(`${apiKey}:`).toString("base64")}`;
}

/**
 * The header that authenticates a call.
 *
 * @throws InputError when an operation that needs a client token is called without one.
 */
export function authHeader(
  operation: Operation,
  authorization: string,
  clientToken: string | undefined,
): Readonly<Record<string, string>> {
  if (operation.auth === "secret_key") return { authorization };
  if (clientToken === undefined) {
    throw new InputError(
      `${operation.name}: needs a client token; nothing was sent. Create one for the entity first`,
    );
  }
  return { "x-fp-authorization": clientToken };
}
