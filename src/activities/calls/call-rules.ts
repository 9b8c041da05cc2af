import type { CallOptions, ClientToken } from "../../api/http/client.js";
import { importTransactions } from "../../api/operations/bank-data.js";
import { createBusiness, updateBusiness } from "../../api/operations/business.js";
import { OPERATIONS } from "../../api/operations/index.js";
import { createOnboarding } from "../../api/operations/onboarding.js";
import type { Operation, ParamsOf, ResponseOf } from "../../api/operations/operation.js";
import { createCipReport, createClientToken } from "../../api/operations/user.js";
import { updateVault, uploadToVault } from "../../api/operations/vault.js";
import { callVaultProxy } from "../../api/operations/vault-proxy.js";
import { sendTestWebhook } from "../../api/operations/webhook-test.js";
import type { ImportedRows } from "../../domain/calls/imported-rows.js";
import { InputError } from "../../domain/failures.js";
import type { ProxyAnswer, SealedRequest } from "../../lake/calls/staged-call.js";
import type { Dependencies } from "../dependencies.js";
import { findImported, findTaken } from "./import-resolution.js";
import type { Resolution } from "./lost-call.js";
import { onboardingResolution, type StartedOnboarding } from "./onboarding-resolution.js";
import { streamProxyAnswer } from "./proxy-answer.js";

export interface CallPlace {
  readonly deps: Dependencies;
  readonly run: string;
  readonly prefix: string;
  readonly request: SealedRequest;
  /** Tried first by a client operation; left out, it makes its own. */
  readonly token?: ClientToken | undefined;
  readonly unsure?: { readonly isHeld: boolean } | undefined;
}

export interface CallRule<O extends Operation, A> {
  readonly operation: O;
  /** How a lost answer is resolved; left out, an operation that is not idempotent is never sent again. */
  readonly resolutionOf?: (place: CallPlace, params: ParamsOf<O>) => Resolution<ParamsOf<O>, A>;
  /** Makes the call and returns what is kept of its answer; left out: the parsed body. */
  readonly send?: (place: CallPlace, params: ParamsOf<O>, options: CallOptions) => Promise<A>;
}

/** Statuses of a repeated request that mean: its external id exists already. */
export const TAKEN: readonly number[] = [400, 409, 422];

interface CreatedBusiness {
  /** `null` where it exists under its external id, and the answer with its id was lost. */
  readonly id: string | null;
}

const RULES = [
  rule<typeof createOnboarding, StartedOnboarding>({
    operation: createOnboarding,
    resolutionOf: ({ deps, run }, params) => onboardingResolution(deps, params, { run }),
  }),
  rule<typeof createClientToken, Pick<ResponseOf<typeof createClientToken>, "expires_at" | "fields">>({
    operation: createClientToken,
    // Proves that a token can be made; the token itself is forgotten. Client operations make their own.
    send: async ({ deps }, params, options) => {
      const { expires_at, fields } = await deps.api.read(createClientToken, params, options);
      return { expires_at, fields };
    },
  }),
  rule<typeof createBusiness, CreatedBusiness>({
    operation: createBusiness,
    resolutionOf: (_, { headers }) =>
      headers?.external_id === undefined
        ? { rule: "unknown" }
        : {
            rule: "again",
            refused: (status) => (TAKEN.includes(status) ? { found: { id: null } } : "unknown"),
          },
  }),
  // Their intents tell whether a row of an ended run may have been written.
  rule({ operation: updateVault, resolutionOf: () => ({ rule: "again" }) }),
  rule({ operation: uploadToVault, resolutionOf: () => ({ rule: "again" }) }),
  rule({ operation: createCipReport, resolutionOf: () => ({ rule: "again" }) }),
  rule({ operation: updateBusiness, resolutionOf: () => ({ rule: "again", refused: () => "unknown" }) }),
  rule<typeof importTransactions, ImportedRows>({
    operation: importTransactions,
    resolutionOf: ({ deps, run, request: { lookAfter } }, params) => ({
      rule: "lookup",
      find: () => findImported(deps, params, run),
      refused: async (error, isRepeated) => {
        const mayHaveTaken = lookAfter === "refusal" || (lookAfter === "repetition" && isRepeated);
        return mayHaveTaken ? findTaken(deps, params, run, error) : undefined;
      },
    }),
    send: async ({ deps }, params, options) => {
      await deps.api.read(importTransactions, params, options);
      return { sent: params.body.transactions.length, found: 0, unknown: [] };
    },
  }),
  rule<typeof callVaultProxy, ProxyAnswer>({ operation: callVaultProxy, send: streamProxyAnswer }),
  rule({
    operation: sendTestWebhook,
    resolutionOf: (_, { body }) => ({ rule: body.idempotency_key === undefined ? "unknown" : "again" }),
  }),
];

function rule<O extends Operation, A = ResponseOf<O>>(one: CallRule<O, A>): CallRule<Operation, unknown> {
  return one as unknown as CallRule<Operation, unknown>;
}

/** Finds how the operation of this name is called exactly once. @throws InputError where there is none. */
export function callRule(name: string): CallRule<Operation, unknown> {
  const operation = OPERATIONS.find((one) => one.name === name);
  if (operation === undefined)
    throw new InputError(`${name} is not an operation of the service; nothing was sent`);
  return RULES.find((one) => one.operation === operation) ?? { operation };
}
