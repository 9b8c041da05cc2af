import { InputError, UnsendableError } from "../../domain/failures.js";
import { type ClientTokenGrant, grantProblem } from "../../domain/service/client-token-grant.js";
import { identifierProblem } from "../../domain/service/vault/vault-identifier.js";
import type { CheckedRequest, Operation } from "../operations/operation.js";
import { headerProblem } from "../schemas/header-fields.js";

/** The header that authenticates a call. @throws InputError without the client token that it needs; UnsendableError */
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
  const problem = headerProblem(clientToken);
  if (problem === undefined) return { "x-fp-authorization": clientToken };
  const rule = `header option client_token: ${problem} (given: text)`;
  throw new UnsendableError(
    rule,
    `${operation.name}: ${rule}; nothing was sent. Accepted: a client token as the service issued it`,
  );
}

/** The smallest grant that allows one call of a client operation. */
export function grantFor(
  operation: Operation,
  request: CheckedRequest,
  owner: Pick<ClientTokenGrant, "fp_id" | "ttl" | "decrypt_reason">,
): ClientTokenGrant {
  const access = operation.tokenUse?.(request);
  if (access === undefined) throw new TypeError(`${operation.name} is no client operation`);
  const { use, fields } = access;
  const named = fields.every((field) => identifierProblem("client_token", field) === undefined);
  return { ...owner, scope: use, fields: named && fields.length > 0 ? fields : undefined };
}

/**
 * Checks a client operation against what its token was made for (docs/reference/service.md, "Refused requests").
 *
 * @throws UnsendableError when scope or fields don't cover it, or a decryption has a reason nowhere.
 */
export function checkGrant(
  operation: Operation,
  request: CheckedRequest,
  grant: ClientTokenGrant | undefined,
): void {
  const access = operation.tokenUse?.(request);
  if (access === undefined || grant === undefined) return;
  const unreasoned = access.use === "decrypt" && !access.reason && grant.decrypt_reason === undefined;
  const problem =
    grantProblem(grant, access.use, access.fields) ??
    (unreasoned ? "a decryption needs a reason, in the call or in the client token" : undefined);
  if (problem === undefined) return;
  throw new UnsendableError(
    problem,
    `${operation.name}: ${problem}; nothing was sent. Accepted: fields and scope that the token was made with, and a reason for decryptions`,
  );
}
