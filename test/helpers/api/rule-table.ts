import type { Operation } from "../../../src/api/operations/operation.js";
import { BANK_RULES } from "./bank-rules.js";
import { SERVICE_RULES } from "./service-rules.js";
import { VAULT_RULES } from "./vault-rules.js";

/** A request that breaks one rule of the document, and nothing else. */
export interface BrokenRule {
  readonly operation: Operation;
  readonly params: Readonly<Record<string, unknown>>;
  readonly message: RegExp;
  /** Why the service itself lets it pass, or can't be asked: a rule of ours beyond the document. */
  readonly ours?: string;
}

export type RuleRow = readonly [operation: Operation, params: object, message: RegExp, ours?: string];

/** Every rule of docs/reference/service.md that a single request can break, broken once. */
export const BROKEN_RULES: readonly BrokenRule[] = [...VAULT_RULES, ...BANK_RULES, ...SERVICE_RULES].map(
  ([operation, params, message, ours]) => ({
    operation,
    params: params as BrokenRule["params"],
    message,
    ...(ours !== undefined && { ours }),
  }),
);
