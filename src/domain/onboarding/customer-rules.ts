import type { BrokenRule, RowProblem } from "../row-problem.js";
import {
  businessExternalIdProblem,
  fpIdProblem,
  onboardingExternalIdProblem,
} from "../service/external-id.js";
import { jsonProblem, uploadProblem, vaultValueProblem } from "../service/vault/vault-value.js";
import { CUSTOMER_KINDS, type CustomerKind, type CustomerRow, type Json, type RowName } from "./customer.js";
import type { NameColumn } from "./customer-column.js";

/** A row as its file gives it; what is empty or null is left out. */
export interface GivenCustomer {
  readonly line: number;
  readonly names: { readonly [column in NameColumn]?: unknown };
  readonly data: ReadonlyMap<string, unknown>;
  readonly vault: ReadonlyMap<string, unknown>;
  /** Paths by identifier. */
  readonly document: ReadonlyMap<string, unknown>;
  readonly problems: readonly RowProblem[];
}

/** A row that keeps every rule that the file alone can tell. */
export interface DraftCustomer extends Omit<CustomerRow, "documents"> {
  readonly documents: ReadonlyMap<string, string>;
}

type JudgedCustomer =
  | { readonly draft: DraftCustomer }
  | { readonly name: RowName; readonly problems: readonly RowProblem[] };

/** A broken rule and its column, null for the row as a whole; undefined where it is kept. */
type Finding = readonly [column: string | null, broken: BrokenRule | undefined];

const NOT_TEXT: BrokenRule = { code: "wrong_type", rule: "is not text" };

/** Checks a row against every rule of docs/use/onboarding.md, "The file"; lists all that it breaks, in a fixed order. */
export function judgeCustomer(given: GivenCustomer): JudgedCustomer {
  const { line, names, data, vault } = given;
  const kind = names.kind === undefined ? "user" : CUSTOMER_KINDS.find((one) => one === names.kind);
  const columns = kind === "business" ? BUSINESS : USER;
  const found = [...idFindings(given, kind, columns), ...valueFindings(given, kind, columns)];
  const problems = [...given.problems];
  for (const [column, broken] of found) if (broken !== undefined) problems.push({ line, column, ...broken });
  const ids = {
    fpId: idOf(names[columns.ours], fpIdProblem),
    externalId: idOf(names.external_id, columns.externalIdProblem),
  };
  if (problems.length > 0 || kind === undefined) return { name: { kind: kind ?? null, ...ids }, problems };
  return {
    draft: {
      line,
      kind,
      ...ids,
      prerequisiteData: data.size === 0 ? null : recordOf(data),
      vault: recordOf(vault),
      documents: given.document as ReadonlyMap<string, string>,
      create: kind === "business" && ids.fpId === null,
    },
  };
}

interface IdColumns {
  readonly ours: "fp_id" | "fp_bid";
  readonly theirs: "fp_id" | "fp_bid";
  externalIdProblem(text: string): BrokenRule | undefined;
}

const USER: IdColumns = {
  ours: "fp_id",
  theirs: "fp_bid",
  externalIdProblem: (text) => worded("is one", onboardingExternalIdProblem(text)),
};
const BUSINESS: IdColumns = {
  ours: "fp_bid",
  theirs: "fp_id",
  externalIdProblem: (text) => worded("has", businessExternalIdProblem(text)),
};

function worded(verb: string, problem: BrokenRule | undefined): BrokenRule | undefined {
  return problem && { ...problem, rule: `${verb} ${problem.rule}` };
}

function idFindings(given: GivenCustomer, kind: CustomerKind | undefined, columns: IdColumns): Finding[] {
  const { names } = given;
  const { ours, theirs, externalIdProblem } = columns;
  const hasTheirs = names[theirs] !== undefined;
  const hasFpId = names[ours] !== undefined || hasTheirs;
  const hasExternalId = names.external_id !== undefined;
  const hint = names.kind === undefined ? ", or the kind business" : "";
  const isUnnamed = !hasFpId && !hasExternalId && kind !== undefined && given.problems.length === 0;
  const unknownKind = { code: "unknown_kind", rule: `is not ${CUSTOMER_KINDS.join(" or ")}` };
  const otherKind = { code: "other_kind", rule: `is not for a ${kind}: give ${ours}${hint}` };
  const bothIds = { code: "both_ids", rule: `is given together with ${ours}` };
  return [
    ["kind", kind === undefined ? unknownKind : undefined],
    [ours, idProblem(names[ours], fpIdProblem)],
    [theirs, hasTheirs && kind !== undefined ? otherKind : undefined],
    ["external_id", idProblem(names.external_id, externalIdProblem)],
    ["external_id", hasExternalId && hasFpId ? bothIds : undefined],
    [ours, isUnnamed ? missingRule(given, kind) : undefined],
  ];
}

function valueFindings(given: GivenCustomer, kind: CustomerKind | undefined, { ours }: IdColumns): Finding[] {
  if (kind === undefined) return [];
  const { names, data, vault, document } = given;
  const hasExternalId = names.external_id !== undefined;
  const owner: VaultOwner = { kind, hasFpId: names[ours] !== undefined, hasExternalId };
  const use = kind === "user" ? "update" : "create_business";
  const twice = { code: "value_too", rule: "is given as a value too" };
  return [
    ...[...data].map(([key, value]): Finding => [`data.${key}`, jsonProblem(value)]),
    ...[...vault].map(([name, value]): Finding => {
      return [`vault.${name}`, ownerProblem(owner) ?? vaultValueProblem(use, name, value)];
    }),
    ...[...document].map(([name, path]): Finding => {
      const problem = documentProblem(owner, name, path) ?? (vault.has(name) ? twice : undefined);
      return [`document.${name}`, problem];
    }),
  ];
}

function idProblem(
  value: unknown,
  problemOf: (text: string) => BrokenRule | undefined,
): BrokenRule | undefined {
  if (value === undefined) return undefined;
  return typeof value === "string" ? problemOf(value) : NOT_TEXT;
}

function idOf(value: unknown, problemOf: (text: string) => BrokenRule | undefined): string | null {
  return typeof value === "string" && problemOf(value) === undefined ? value : null;
}

function missingRule(given: GivenCustomer, kind: CustomerKind): BrokenRule | undefined {
  if (kind === "user") return { code: "missing", rule: "is missing, and so is external_id" };
  // Its first data is given at its creation, and is all that it is known by.
  if (given.vault.size > 0) return undefined;
  const rule = "is missing, and so are external_id and first data (vault.…) to make the business with";
  return { code: "missing", rule };
}

/** Fields as they are named, `__proto__` too. */
function recordOf(map: ReadonlyMap<string, unknown>): { readonly [name: string]: Json } {
  return Object.fromEntries(map) as { readonly [name: string]: Json };
}

interface VaultOwner {
  readonly kind: CustomerKind;
  readonly hasFpId: boolean;
  readonly hasExternalId: boolean;
}

const NEEDS_FP_ID: BrokenRule = {
  code: "needs_fp_id",
  rule: "needs the fp_id in the row: no operation finds a user's vault by external id",
};

/**
 * Why a file can't be uploaded under an identifier of this customer's vault
 * (docs/reference/service.md, "Accepted identifiers" and "Vault upload").
 */
function documentProblem(owner: VaultOwner, identifier: string, path: unknown): BrokenRule | undefined {
  if (owner.kind === "business")
    return {
      code: "business_file",
      rule: "is a file for a business: the service takes uploads for users only",
    };
  if (!owner.hasFpId) return NEEDS_FP_ID;
  return uploadProblem(identifier, path);
}

/** Why no value can be put into this customer's vault (docs/reference/service.md, "Vault update" and "Business creation"). */
function ownerProblem({ kind, hasFpId, hasExternalId }: VaultOwner): BrokenRule | undefined {
  if (kind === "user") return hasFpId ? undefined : NEEDS_FP_ID;
  if (hasFpId)
    return { code: "made_business", rule: "is for a business that is there: no operation writes its vault" };
  if (!hasExternalId) return undefined;
  const rule =
    "is given together with external_id: a business is made with an id of yours or with first data, not both";
  return { code: "with_external_id", rule };
}
