import { cancellationSignal } from "@temporalio/activity";
import { grantFor } from "../../api/http/auth.js";
import type { CallOptions, ClientToken } from "../../api/http/call-options.js";
import { withClientToken } from "../../api/http/client-token.js";
import { AuthError, RejectedError } from "../../api/http/errors.js";
import { checkRequest } from "../../api/http/request.js";
import { importTransactions } from "../../api/operations/bank-data.js";
import type { Operation, ParamsOf, ResponseOf } from "../../api/operations/operation.js";
import { createCipReport } from "../../api/operations/user.js";
import { updateVault, uploadToVault } from "../../api/operations/vault.js";
import type { AnsweredCall, CallTerms, DataOwner } from "../../domain/calls/answered-call.js";
import type { ImportEvidence, ImportedRows } from "../../domain/calls/imported-rows.js";
import { InputError } from "../../domain/failures.js";
import type { Dependencies } from "../dependencies.js";
import { callOnce } from "./call-once.js";
import { findImported, findTaken } from "./import-resolution.js";
import type { Resolution } from "./lost-call.js";

export interface CallPlace extends CallTerms {
  readonly deps: Dependencies;
  readonly run: string;
  readonly prefix: string;
  /** Of a client operation: whose data a token is made for. */
  readonly owner?: DataOwner | undefined;
  /** Tried first by a client operation; left out, it makes its own. */
  readonly token?: ClientToken | undefined;
}

export interface CallRule<O extends Operation, A> {
  readonly operation: O;
  /** How a lost answer is resolved; left out, an operation that is not idempotent is never sent again. */
  readonly resolutionOf?: (place: CallPlace, params: ParamsOf<O>) => Resolution<ParamsOf<O>, A>;
  /** Makes the call and returns what is kept of its answer; left out: the parsed body. */
  readonly send?: (place: CallPlace, params: ParamsOf<O>, options: CallOptions) => Promise<A>;
}

const NO_EVIDENCE: ImportEvidence = { isSeen: false, beside: [] };

const RULES = [
  // Their intents tell whether a row of an ended run may have been written.
  ...[updateVault, uploadToVault, createCipReport].map((operation: Operation) =>
    rule({ operation, resolutionOf: () => ({ rule: "again" }) }),
  ),
  rule<typeof importTransactions, ImportedRows>({
    operation: importTransactions,
    resolutionOf: ({ deps, run, lookAfter, evidence = NO_EVIDENCE }, params) => ({
      rule: "lookup",
      find: () => findImported(deps, params, run, evidence),
      refused: async (error, isRepeated) => {
        const mayHaveTaken = lookAfter === "refusal" || (lookAfter === "repetition" && isRepeated);
        if (!mayHaveTaken) return undefined;
        return findTaken(deps.api, params, { signal: cancellationSignal(), run }, evidence, error);
      },
    }),
    send: async ({ deps }, params, options) => {
      await deps.api.read(importTransactions, params, options);
      return { sent: params.body.transactions.length, found: 0, unknown: [] };
    },
  }),
];

function rule<O extends Operation, A = ResponseOf<O>>(one: CallRule<O, A>): CallRule<Operation, unknown> {
  return one as unknown as CallRule<Operation, unknown>;
}

/** How an operation is called exactly once. */
export function callRule(operation: Operation): CallRule<Operation, unknown> {
  return RULES.find((one) => one.operation === operation) ?? { operation };
}

/** Seconds for which a call's client token is good, unless its owner says; long, because the call may have to wait. */
const TOKEN_TTL_SECS = 300;

/** Makes one call exactly once, with a token where it needs one. */
export async function makeCall(
  place: CallPlace,
  { operation, resolutionOf, send }: CallRule<Operation, unknown>,
  params: ParamsOf<Operation>,
  notAfter?: number,
): Promise<AnsweredCall<unknown>> {
  const { deps, run, owner, token, prefix: key } = place;
  const request = checkRequest(operation, params);
  const call = (clientToken?: ClientToken) =>
    callOnce<Operation, unknown>(deps, {
      ...{ operation, params, key, run },
      ...(clientToken && { clientToken }),
      ...(resolutionOf && { resolution: resolutionOf(place, params) }),
      ...(send && { send: send.bind(undefined, place) }),
      ...(notAfter !== undefined && { notAfter }),
    });
  if (operation.auth === "secret_key") return call();
  if (owner === undefined) {
    throw new InputError(`${operation.name}: the request names no owner; nothing was sent. Give its fp_id`);
  }
  const grant = grantFor(operation, request, { ttl: TOKEN_TTL_SECS, ...owner });
  const once = () => withClientToken(deps.api, grant, call, { run });
  const isRefused = (error: unknown) => error instanceof AuthError && error.operation === operation.name;
  // A refused token may have expired on the way; if a second one is refused too, the request is wrong, not the key.
  const first = token === undefined ? once() : call(token);
  return first
    .catch((error: unknown) => (isRefused(error) ? once() : Promise.reject(error)))
    .catch((error: unknown) => {
      if (!isRefused(error)) throw error;
      throw new RejectedError({ operation: operation.name, sent: true, status: (error as AuthError).status });
    });
}
