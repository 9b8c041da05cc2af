import { cancellationSignal } from "@temporalio/activity";
import type { CallOptions, ClientToken } from "../../api/http/call-options.js";
import { importTransactions } from "../../api/operations/bank-data.js";
import type { Operation, ParamsOf, ResponseOf } from "../../api/operations/operation.js";
import { createCipReport } from "../../api/operations/user.js";
import { updateVault, uploadToVault } from "../../api/operations/vault.js";
import type { CallTerms, DataOwner } from "../../domain/calls/answered-call.js";
import type { ImportEvidence, ImportedRows } from "../../domain/calls/imported-rows.js";
import type { Dependencies } from "../dependencies.js";
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
  rule({ operation: updateVault, resolutionOf: () => ({ rule: "again" }) }),
  rule({ operation: uploadToVault, resolutionOf: () => ({ rule: "again" }) }),
  rule({ operation: createCipReport, resolutionOf: () => ({ rule: "again" }) }),
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
