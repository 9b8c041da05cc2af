import { grantFor } from "../../api/http/auth.js";
import type { ClientToken } from "../../api/http/call-options.js";
import { withClientToken } from "../../api/http/client-token.js";
import { AuthError, RejectedError } from "../../api/http/errors.js";
import { checkRequest } from "../../api/http/request.js";
import type { CheckedRequest, Operation, ParamsOf } from "../../api/operations/operation.js";
import type { AnsweredCall } from "../../domain/calls/answered-call.js";
import { InputError } from "../../domain/failures.js";
import { callOnce } from "./call-once.js";
import type { CallPlace, CallRule } from "./call-rules.js";

/** Seconds for which a call's client token is good, unless its owner says; long, because the call may have to wait. */
const TOKEN_TTL_SECS = 300;

/** Makes one call exactly once, with a token where it needs one. */
export function makeCall(
  place: CallPlace,
  { operation, resolutionOf, send }: CallRule<Operation, unknown>,
  params: ParamsOf<Operation>,
  notAfter?: number,
): Promise<AnsweredCall<unknown>> {
  const checked = checkRequest(operation, params);
  return withToken(place, operation, checked, (clientToken) =>
    callOnce<Operation, unknown>(place.deps, {
      operation,
      params,
      key: place.prefix,
      run: place.run,
      ...(clientToken && { clientToken }),
      ...(resolutionOf && { resolution: resolutionOf(place, params) }),
      ...(send && { send: send.bind(undefined, place) }),
      ...(notAfter !== undefined && { notAfter }),
    }),
  );
}

/** A refused token may have expired on the way; if a second one is refused too, the request is wrong, not the key. */
async function withToken<R>(
  { deps, run, owner, token }: CallPlace,
  operation: Operation,
  checked: CheckedRequest,
  call: (token: ClientToken | undefined) => Promise<R>,
): Promise<R> {
  if (operation.auth === "secret_key") return call(undefined);
  if (owner === undefined) {
    throw new InputError(`${operation.name}: the request names no owner; nothing was sent. Give its fp_id`);
  }
  const grant = grantFor(operation, checked, { ttl: TOKEN_TTL_SECS, ...owner });
  const once = () => withClientToken(deps.api, grant, call, { run });
  const refused = (error: unknown): error is AuthError =>
    error instanceof AuthError && error.operation === operation.name;
  try {
    return await (token === undefined ? once() : call(token));
  } catch (error) {
    if (!refused(error)) throw error;
  }
  try {
    return await once();
  } catch (error) {
    if (!refused(error)) throw error;
    throw new RejectedError({ operation: operation.name, sent: true, status: error.status });
  }
}
