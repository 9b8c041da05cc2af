import { grantFor } from "../../api/http/auth.js";
import type { ClientToken } from "../../api/http/client.js";
import { withClientToken } from "../../api/http/client-token.js";
import { AuthError, RejectedError } from "../../api/http/errors.js";
import { checkRequest } from "../../api/http/request.js";
import type { CheckedRequest, Operation, ParamsOf } from "../../api/operations/operation.js";
import { type Bytes, fileBytes } from "../../api/schemas/byte-source.js";
import type { SettledCall } from "../../domain/calls/settled-call.js";
import { InputError } from "../../domain/failures.js";
import { sealedStream } from "../../lake/store/sealed-stream.js";
import type { Dependencies } from "../dependencies.js";
import { withHeartbeat } from "../heartbeat.js";
import { callOnce } from "./call-once.js";
import type { CallFacts, CallPart, CallPlace } from "./call-part.js";
import { answerKey } from "./call-record.js";
import { prefixOf, type RequestBytes, type SealedRequest } from "./sealed-request.js";

/** Seconds for which a call's client token is good: the call may have to wait for its turn. */
const TOKEN_TTL_SECS = 300;

/** A call that a workflow asks for. */
export interface CallInput {
  readonly run: string;
  /** Key of the sealed request (`putRequest`). */
  readonly request: string;
}

/** What a workflow gets of an answer. */
export interface CallResult<F extends CallFacts> {
  /** Key of the sealed answer: `{operation, at, body}`. */
  readonly answer: string;
  readonly facts: F;
  readonly repeated: SettledCall<unknown>["repeated"];
}

/** Makes the call that a sealed request asks for, once, however often the activity is repeated. */
export function makeCall<O extends Operation, A, F extends CallFacts>(
  deps: Dependencies,
  part: CallPart<O, A, F>,
  input: CallInput,
): Promise<CallResult<F>> {
  return withHeartbeat(async () => {
    const prefix = prefixOf(input.request);
    const request = await deps.sealed.require<SealedRequest>(input.request);
    const place: CallPlace = { deps, run: input.run, prefix, request };
    const params = await paramsOf(deps, part.operation, request);
    const { body, repeated } = await settledCall(place, part, params);
    return { answer: answerKey(prefix), facts: part.facts(body, params), repeated };
  });
}

/** Makes one call, once, with what its operation says of a lost answer, and with a token where it needs one. */
export function settledCall<O extends Operation, A, F extends CallFacts>(
  place: CallPlace,
  part: CallPart<O, A, F>,
  params: ParamsOf<O>,
  notAfter?: number,
): Promise<SettledCall<A>> {
  const checked = checkRequest(part.operation, params);
  return withToken(place, part.operation, checked, (clientToken) =>
    callOnce<O, A>(place.deps, {
      operation: part.operation,
      params,
      key: place.prefix,
      run: place.run,
      ...(clientToken && { clientToken }),
      ...(part.settle && { settle: part.settle(place, params) }),
      ...(part.send && { send: part.send.bind(undefined, place) }),
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
  if (operation.sends === "bytes") return { ...(params as ParamsOf<O>), body: await bodyOf(deps, bytes) };
  throw new InputError(`${operation.name}: takes no bytes; nothing was sent. Give its body in params`);
}

async function bodyOf(deps: Dependencies, bytes: RequestBytes): Promise<Bytes> {
  if ("file" in bytes) return fileBytes(bytes.file);
  if ("base64" in bytes) return Buffer.from(bytes.base64, "base64");
  const stream = await sealedStream(deps.sealed, bytes.stream);
  if (stream !== undefined) return stream;
  throw new InputError(`${bytes.stream} is not in the lake's staging area; nothing was sent. Stage it again`);
}

/**
 * Gives a client operation a token made for it alone. One that is refused may have expired on the way, so a
 * second one is tried; that refused too means the request, not the key.
 */
async function withToken<R>(
  { deps, run, request }: CallPlace,
  operation: Operation,
  checked: CheckedRequest,
  call: (token: ClientToken | undefined) => Promise<R>,
): Promise<R> {
  if (operation.auth === "secret_key") return call(undefined);
  if (request.owner === undefined) {
    throw new InputError(`${operation.name}: the request names no owner; nothing was sent. Give its fp_id`);
  }
  const owner = { ...request.owner, ttl: TOKEN_TTL_SECS };
  const grant = grantFor(operation, checked, owner);
  const once = () => withClientToken(deps.api, grant, call, { run });
  const refused = (error: unknown) => error instanceof AuthError && error.operation === operation.name;
  try {
    return await once();
  } catch (error) {
    if (!refused(error)) throw error;
  }
  try {
    return await once();
  } catch (error) {
    if (!(refused(error) && error instanceof AuthError)) throw error;
    throw new RejectedError({ operation: operation.name, sent: true, ...statusOf(error) });
  }
}

function statusOf({ status }: AuthError): { status?: number } {
  return status === undefined ? {} : { status };
}
