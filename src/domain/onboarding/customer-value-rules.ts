import type { BrokenRule } from "../row-problem.js";
import { uploadProblem, vaultValueProblem } from "../service/vault/vault-value.js";
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

/**
 * Why a value can't be put under an identifier of this customer's vault
 * (docs/reference/service.md, "Accepted identifiers", "Vault update" and "Business creation").
 */
export function vaultProblem(owner: VaultOwner, identifier: string, value: unknown): BrokenRule | undefined {
  const use = owner.kind === "user" ? "update" : "create_business";
  return ownerProblem(owner) ?? vaultValueProblem(use, identifier, value);
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
  return uploadProblem(identifier, path);
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
