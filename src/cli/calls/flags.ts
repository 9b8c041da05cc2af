import { grantFor } from "../../api/http/auth.js";
import type { CheckedRequest, Operation } from "../../api/operations/operation.js";
import { type ClientTokenGrant, TOKEN_TTL } from "../../domain/service/client-token-grant.js";
import { notSent } from "./request.js";

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

/** Says what the call's token must allow, where the call needs one. */
export function grantOf(
  operation: Operation,
  fpId: string | undefined,
  clientToken: string | undefined,
  request: CheckedRequest,
): ClientTokenGrant | undefined {
  if (operation.tokenUse === undefined) {
    if (fpId === undefined) return undefined;
    throw notSent(operation, `uses the secret key, not a client token`, `Leave --for out`);
  }
  if ((fpId === undefined) === (clientToken === undefined)) {
    throw notSent(
      operation,
      `needs a client token`,
      `Give either --for <fp_id>, which makes one for this call, or --param client_token=…`,
    );
  }
  if (fpId === undefined) return undefined;
  return grantFor(operation, request, { fp_id: fpId, ttl: TOKEN_TTL.min });
}
