import { isJsonObject } from "../json.js";
import { hasLoneSurrogate } from "../service/transaction-values.js";
import { acceptedIdentifiers, type IdentifierUse, identifierProblem } from "../service/vault-identifier.js";
import type { CustomerKind } from "./customer.js";

/** The owner of the vault that a value is for. */
export interface VaultOwner {
  readonly kind: CustomerKind;
  readonly hasFpId: boolean;
  readonly hasExternalId: boolean;
}

const NEEDS_FP_ID = "needs the fp_id in the row: no operation finds a user's vault by external id";

/**
 * Why a value can't be put under an identifier of this customer's vault
 * (docs/reference/service.md, "Accepted identifiers", "Vault update" and "Business creation").
 */
export function vaultProblem(owner: VaultOwner, identifier: string, value: unknown): string | undefined {
  return ownerProblem(owner) ?? useProblem(useOf(owner.kind), identifier) ?? valueProblem(value);
}

/**
 * Why a file can't be uploaded under an identifier of this customer's vault
 * (docs/reference/service.md, "Accepted identifiers" and "Vault upload").
 */
export function documentProblem(owner: VaultOwner, identifier: string, path: unknown): string | undefined {
  if (owner.kind === "business") return "is a file for a business: the service takes uploads for users only";
  if (!owner.hasFpId) return NEEDS_FP_ID;
  // What is uploaded goes under a client token, which has to name it.
  const problem = useProblem("upload", identifier) ?? useProblem("client_token", identifier);
  if (problem !== undefined) return problem;
  if (typeof path !== "string") return "is not the path of a file";
  return path.trim() === "" ? "is blank" : undefined;
}

function useOf(kind: CustomerKind): IdentifierUse {
  return kind === "user" ? "update" : "create_business";
}

function ownerProblem({ kind, hasFpId, hasExternalId }: VaultOwner): string | undefined {
  if (kind === "user") return hasFpId ? undefined : NEEDS_FP_ID;
  if (hasFpId) return "is for a business that is there: no operation writes its vault";
  return hasExternalId
    ? "is given together with external_id: a business is made with an id of yours or with first data, not both"
    : undefined;
}

function useProblem(use: IdentifierUse, identifier: string): string | undefined {
  const problem = identifierProblem(use, identifier);
  return problem === undefined ? undefined : `is ${problem}; accepted: ${acceptedIdentifiers(use)}`;
}

function valueProblem(value: unknown): string | undefined {
  if (typeof value === "boolean") return undefined;
  if (typeof value === "number") {
    return Number.isInteger(value)
      ? jsonProblem(value)
      : "is a number that is not an integer: give it as text";
  }
  if (typeof value === "string") return value.trim() === "" ? "is blank" : jsonProblem(value);
  if (isJsonObject(value)) return jsonProblem(value);
  return "is not text, an integer, true or false, or an object";
}

/** Why a JSON value would not arrive as it is in the file, without quoting it. */
export function jsonProblem(value: unknown): string | undefined {
  if (typeof value === "number") {
    const isExact = Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
    return isExact ? undefined : "is a number too large to arrive exactly: give it as text";
  }
  if (typeof value === "string") return hasLoneSurrogate(value) ? "has a lone surrogate" : undefined;
  if (typeof value !== "object" || value === null) return undefined;
  for (const [name, item] of Object.entries(value)) {
    const problem = hasLoneSurrogate(name) ? "has a lone surrogate" : jsonProblem(item);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
