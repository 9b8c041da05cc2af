import { grantFor } from "../../api/http/auth.js";
import type { CheckedRequest, Operation } from "../../api/operations/operation.js";
import { InputError } from "../../domain/failures.js";
import { type ClientTokenGrant, TOKEN_TTL } from "../../domain/service/client-token-grant.js";

export interface CallFlags {
  readonly param?: readonly string[];
  readonly body?: string;
  readonly for?: string;
  readonly output?: string;
  readonly anyStatus?: boolean;
  readonly json?: boolean;
  readonly list?: boolean;
  readonly showSecrets?: boolean;
  readonly durable?: boolean;
  readonly requestId?: string;
  readonly detach?: boolean;
}

/** What the call's token must allow, where one is to be made. */
export function grantOf(
  operation: Operation,
  fpId: string | undefined,
  clientToken: string | undefined,
  request: CheckedRequest,
): ClientTokenGrant | undefined {
  if (operation.tokenUse === undefined) {
    if (fpId === undefined) return undefined;
    throw new InputError(
      `${operation.name}: uses the secret key, not a client token; nothing was sent. Leave --for out`,
    );
  }
  if ((fpId === undefined) === (clientToken === undefined)) {
    throw new InputError(
      `${operation.name}: needs a client token; nothing was sent. Give either --for <fp_id>, which makes one for this call, or --param client_token=…`,
    );
  }
  if (fpId === undefined) return undefined;
  return grantFor(operation, request, { fp_id: fpId, ttl: TOKEN_TTL.min });
}
