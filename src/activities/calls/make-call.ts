import { grantFor } from "../../api/http/auth.js";
import type { ClientToken } from "../../api/http/client.js";
import { withClientToken } from "../../api/http/client-token.js";
import { AuthError, RejectedError } from "../../api/http/errors.js";
import { checkRequest } from "../../api/http/request.js";
import type { CheckedRequest, Operation, ParamsOf } from "../../api/operations/operation.js";
import type { AnsweredCall } from "../../domain/calls/answered-call.js";
import { InputError } from "../../domain/failures.js";
import { requestKey, type SealedRequest } from "../../lake/calls/staged-call.js";
import { sealedStream } from "../../lake/store/sealed-store.js";
import type { Dependencies } from "../dependencies.js";
import { callOnce } from "./call-once.js";
import { type CallPlace, type CallRule, callRule } from "./call-rules.js";

/** Seconds for which a call's client token is good, unless its owner says; long, because the call may have to wait. */
const TOKEN_TTL_SECS = 300;

export interface CallInput {
  /** After its first 401 or 403 no call of a run starts any more. */
  readonly run: string;
  /** Staging prefix of the call, where its sealed request is. */
  readonly prefix: string;
}

/** What a workflow learns of a call: nothing of the answer, which is kept sealed below the prefix. */
export interface CallResult {
  readonly repeated: AnsweredCall<unknown>["repeated"];
}

/** Makes the call that a sealed request asks for, once, however often the activity is repeated. */
export async function makeCall(deps: Dependencies, { run, prefix }: CallInput): Promise<CallResult> {
  const request = await deps.sealed.require<SealedRequest>(requestKey(prefix));
  const rule = callRule(request.operation);
  const params = await paramsOf(deps, rule.operation, request);
  const { repeated } = await makeRuledCall({ deps, run, prefix, request }, rule, params);
  return { repeated };
}

/** Makes one call exactly once, by the rule of its operation, and with a token where it needs one. */
export function makeRuledCall(
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
      unsure: place.unsure,
      ...(clientToken && { clientToken }),
      ...(resolutionOf && { resolution: resolutionOf(place, params) }),
      ...(send && { send: send.bind(undefined, place) }),
      ...(notAfter !== undefined && { notAfter }),
    }),
  );
}

async function paramsOf<O extends Operation>(
  deps: Dependencies,
  operation: O,
  { params, bytes }: SealedRequest,
): Promise<ParamsOf<O>> {
  if (bytes === undefined) return params as ParamsOf<O>;
  if (operation.sends !== "bytes")
    throw new InputError(`${operation.name}: takes no bytes; nothing was sent. Put its body into params`);
  const body = await sealedStream(deps.sealed, bytes.stream);
  if (body !== undefined) return { ...(params as ParamsOf<O>), body };
  throw new InputError(`${bytes.stream} is not in the lake's staging area; nothing was sent. Stage it again`);
}

/** A refused token may have expired on the way; if a second one is refused too, the request is wrong, not the key. */
async function withToken<R>(
  { deps, run, request, token }: CallPlace,
  operation: Operation,
  checked: CheckedRequest,
  call: (token: ClientToken | undefined) => Promise<R>,
): Promise<R> {
  if (operation.auth === "secret_key") return call(undefined);
  if (request.owner === undefined) {
    throw new InputError(`${operation.name}: the request names no owner; nothing was sent. Give its fp_id`);
  }
  const owner = { ttl: TOKEN_TTL_SECS, ...request.owner };
  const grant = grantFor(operation, checked, owner);
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
