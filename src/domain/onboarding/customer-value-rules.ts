import { isJsonObject } from "../json.js";
import type { BrokenRule } from "../row-problem.js";
import { hasLoneSurrogate } from "../service/transaction-values.js";
import { acceptedIdentifiers, type IdentifierUse, identifierProblem } from "../service/vault-identifier.js";
import type { CustomerKind } from "./customer.js";

/** The owner of the vault that a value is for. */
export interface VaultOwner {
  readonly kind: CustomerKind;
  readonly hasFpId: boolean;
  readonly hasExternalId: boolean;
}

const NEEDS_FP_ID: BrokenRule = {
  code: "needs_fp_id",
  rule: "needs the fp_id in the row: no operation finds a user's vault by external id",
};
const BLANK: BrokenRule = { code: "blank", rule: "is blank" };
const LONE_SURROGATE: BrokenRule = { code: "lone_surrogate", rule: "has a lone surrogate" };

/**
 * Why a value can't be put under an identifier of this customer's vault
 * (docs/reference/service.md, "Accepted identifiers", "Vault update" and "Business creation").
 */
export function vaultProblem(owner: VaultOwner, identifier: string, value: unknown): BrokenRule | undefined {
  const use = owner.kind === "user" ? "update" : "create_business";
  return ownerProblem(owner) ?? useProblem(use, identifier) ?? valueProblem(value);
}

/**
 * Why a file can't be uploaded under an identifier of this customer's vault
 * (docs/reference/service.md, "Accepted identifiers" and "Vault upload").
 */
export function documentProblem(
  owner: VaultOwner,
  identifier: string,
  path: unknown,
): BrokenRule | undefined {
  if (owner.kind === "business")
    return {
      code: "business_file",
      rule: "is a file for a business: the service takes uploads for users only",
    };
  if (!owner.hasFpId) return NEEDS_FP_ID;
  // What is uploaded goes under a client token, which has to name it.
  const problem = useProblem("upload", identifier) ?? useProblem("client_token", identifier);
  if (problem !== undefined) return problem;
  if (typeof path !== "string") return { code: "not_path", rule: "is not the path of a file" };
  return path.trim() === "" ? BLANK : undefined;
}

function ownerProblem({ kind, hasFpId, hasExternalId }: VaultOwner): BrokenRule | undefined {
  if (kind === "user") return hasFpId ? undefined : NEEDS_FP_ID;
  if (hasFpId)
    return { code: "made_business", rule: "is for a business that is there: no operation writes its vault" };
  if (!hasExternalId) return undefined;
  const rule =
    "is given together with external_id: a business is made with an id of yours or with first data, not both";
  return { code: "with_external_id", rule };
}

function useProblem(use: IdentifierUse, identifier: string): BrokenRule | undefined {
  const problem = identifierProblem(use, identifier);
  return problem && { ...problem, rule: `is ${problem.rule}; accepted: ${acceptedIdentifiers(use)}` };
}

function valueProblem(value: unknown): BrokenRule | undefined {
  if (typeof value === "boolean") return undefined;
  if (typeof value === "number") {
    if (Number.isInteger(value)) return jsonProblem(value);
    return { code: "not_integer", rule: "is a number that is not an integer: give it as text" };
  }
  if (typeof value === "string") return value.trim() === "" ? BLANK : jsonProblem(value);
  if (isJsonObject(value)) return jsonProblem(value);
  return { code: "not_value", rule: "is not text, an integer, true or false, or an object" };
}

/** Why a JSON value would not arrive as it is in the file, without quoting it. */
export function jsonProblem(value: unknown): BrokenRule | undefined {
  if (typeof value === "number") {
    const isExact = Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
    if (isExact) return undefined;
    return { code: "inexact_number", rule: "is a number too large to arrive exactly: give it as text" };
  }
  if (typeof value === "string") return hasLoneSurrogate(value) ? LONE_SURROGATE : undefined;
  if (typeof value !== "object" || value === null) return undefined;
  for (const [name, item] of Object.entries(value)) {
    const problem = hasLoneSurrogate(name) ? LONE_SURROGATE : jsonProblem(item);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
