import { hash } from "node:crypto";
import { z } from "zod";
import {
  CUSTOMER_KINDS,
  type CustomerKind,
  type CustomerRow,
  type Json,
  type RowName,
} from "../../domain/onboarding/customer.js";
import { identityHash, identityOf } from "../../domain/onboarding/identity.js";
import type { BrokenRule, JudgedRow, UniqueValue } from "../../domain/row-problem.js";
import {
  businessExternalIdProblem,
  fpIdProblem,
  onboardingExternalIdProblem,
  SHORTEST_BUSINESS_ID,
} from "../../domain/service/external-id.js";
import { isDocument } from "../../domain/service/vault/vault-identifier.js";
import { jsonProblem, uploadProblem, vaultValueProblem } from "../../domain/service/vault/vault-value.js";

export const COLUMN_GROUPS = ["data", "vault", "document"] as const;
type ColumnGroup = (typeof COLUMN_GROUPS)[number];

type Row = { readonly [column: string]: unknown };
type Problem = BrokenRule | undefined;

/** Judged whatever its type, so that the rules of the whole row are judged too. */
const ruled = (problemOf: (value: unknown) => Problem) =>
  z
    .unknown()
    .superRefine((value, context) => {
      const broken = problemOf(value);
      if (broken) context.addIssue(issueOf(broken));
    })
    .optional();

const issueOf = ({ code, rule }: BrokenRule, path: string[] = []) => ({
  code: "custom" as const,
  path,
  message: rule,
  params: { code },
});

const ifText = (problemOf: (text: string) => Problem) => (value: unknown) =>
  typeof value === "string" ? problemOf(value) : { code: "wrong_type", rule: "is not text" };

const ID = ruled(ifText(fpIdProblem));

const row = z
  .object({
    kind: ruled((value) =>
      CUSTOMER_KINDS.some((kind) => kind === value)
        ? undefined
        : { code: "unknown_kind", rule: `is not ${CUSTOMER_KINDS.join(" or ")}` },
    ),
    fp_id: ID,
    fp_bid: ID,
    external_id: ruled(ifText(() => undefined)),
  })
  .catchall(z.unknown())
  .superRefine((row, context) => {
    for (const [column, broken] of [...idProblems(row), ...valueProblems(row)])
      if (broken) context.addIssue(issueOf(broken, [column]));
  });

/** How a customers file is judged (docs/use/onboarding.md, "The file"). */
export const CUSTOMERS = {
  file: { name: "customers file", option: "--customers", rows: "customers" },
  groups: COLUMN_GROUPS,
  namesInvalid: true,
  row,
  files: (row: Row) => Object.keys(row).filter((column) => column.startsWith("document.")),
  unique: uniqueCustomer,
  doubt: { row: doubtOf },
};

/** Undefined for an unknown kind. */
function kindOf({ kind = "user" }: Row): CustomerKind | undefined {
  return CUSTOMER_KINDS.find((known) => known === kind);
}

const idColumn = (kind: CustomerKind | undefined) => (kind === "business" ? "fp_bid" : "fp_id");

function idProblems(row: Row): [string, Problem][] {
  const kind = kindOf(row);
  const ours = idColumn(kind);
  const theirs = ours === "fp_id" ? "fp_bid" : "fp_id";
  const { external_id } = row;
  const hasId = row.fp_id !== undefined || row.fp_bid !== undefined;
  const problems: [string, Problem][] = [];
  if (typeof external_id === "string") problems.push(["external_id", externalIdProblem(kind, external_id)]);
  if (row[theirs] !== undefined && kind !== undefined) {
    const hint = row.kind === undefined ? ", or the kind business" : "";
    problems.unshift([theirs, { code: "other_kind", rule: `is not for a ${kind}: give ${ours}${hint}` }]);
  }
  if (external_id !== undefined && hasId)
    problems.push(["external_id", { code: "both_ids", rule: `is given together with ${ours}` }]);
  if (external_id === undefined && !hasId && kind !== undefined) problems.push([ours, missingId(kind, row)]);
  return problems;
}

function externalIdProblem(kind: CustomerKind | undefined, text: string): Problem {
  const isBusiness = kind === "business";
  const broken = isBusiness ? businessExternalIdProblem(text) : onboardingExternalIdProblem(text);
  return broken && { ...broken, rule: `${isBusiness ? "has" : "is one"} ${broken.rule}` };
}

function missingId(kind: CustomerKind, row: Row): Problem {
  if (kind === "user") return { code: "missing", rule: "is missing, and so is external_id" };
  // The first data of a business is all that it is known by.
  if (Object.keys(groupOf(row, "vault")).length > 0) return undefined;
  const rule = "is missing, and so are external_id and first data (vault.…) to make the business with";
  return { code: "missing", rule };
}

function valueProblems(row: Row): [string, Problem][] {
  const kind = kindOf(row);
  if (kind === undefined) return [];
  return Object.entries(row).flatMap(([column, value]): [string, Problem][] => {
    const [group, name] = [column.slice(0, column.indexOf(".")), column.slice(column.indexOf(".") + 1)];
    if (group === "data") return [[column, jsonProblem(value)]];
    if (group === "vault") return [[column, vaultProblem(kind, row, name, value)]];
    return group === "document" ? [[column, documentProblem(kind, row, name, value)]] : [];
  });
}

const VALUE_TOO: BrokenRule = { code: "value_too", rule: "is given as a value too" };
const NEEDS_FP_ID: BrokenRule = {
  code: "needs_fp_id",
  rule: "needs the fp_id in the row: no operation finds a user's vault by external id",
};

/** Why a value can't be put into this customer's vault (docs/reference/service.md, "Vault update" and "Business creation"). */
function vaultProblem(kind: CustomerKind, row: Row, name: string, value: unknown): Problem {
  if (kind === "user")
    return row.fp_id === undefined ? NEEDS_FP_ID : vaultValueProblem("update", name, value);
  if (row.fp_bid !== undefined)
    return { code: "made_business", rule: "is for a business that is there: no operation writes its vault" };
  if (row.external_id === undefined) return vaultValueProblem("create_business", name, value);
  const rule =
    "is given together with external_id: a business is made with an id of yours or with first data, not both";
  return { code: "with_external_id", rule };
}

function documentProblem(kind: CustomerKind, row: Row, name: string, path: unknown): Problem {
  if (kind === "business")
    return {
      code: "business_file",
      rule: "is a file for a business: the service takes uploads for users only",
    };
  if (row.fp_id === undefined) return NEEDS_FP_ID;
  return uploadProblem(name, path) ?? (Object.hasOwn(row, `vault.${name}`) ? VALUE_TOO : undefined);
}

/** Fields as they are named, `__proto__` too. */
function groupOf<T = unknown>(row: { readonly [column: string]: T }, group: ColumnGroup): Record<string, T> {
  const start = `${group}.`;
  const members: [string, T][] = [];
  for (const column of Object.keys(row))
    if (column.startsWith(start)) members.push([column.slice(start.length), row[column] as T]);
  return Object.fromEntries(members);
}

/** The ids of a row, where they are right by themselves. */
export function nameOf(row: Row): RowName {
  const kind = kindOf(row);
  const { [idColumn(kind)]: fpId = null, external_id: text } = row;
  const isRight = typeof text === "string" && externalIdProblem(kind, text) === undefined;
  return { kind: kind ?? null, fpId: fpId as string | null, externalId: isRight ? text : null };
}

/** A valid row with its line and files. */
export function customerOf({ line, row, files = {} }: JudgedRow & { readonly row: object }): CustomerRow {
  const { kind, fpId, externalId } = nameOf(row as Row);
  const data = groupOf(row as Row, "data") as CustomerRow["vault"];
  return {
    line,
    kind: kind ?? "user",
    fpId,
    externalId,
    prerequisiteData: Object.keys(data).length === 0 ? null : data,
    vault: groupOf(row as Row, "vault") as { [identifier: string]: Json },
    documents: groupOf(files, "document"),
    create: kind === "business" && fpId === null,
  };
}

export const sha256 = (text: string): string => hash("sha256", text);

function uniqueCustomer(row: Row): UniqueValue | null {
  const { fpId, externalId, kind } = nameOf(row);
  const vault = fpId === null && externalId === null ? groupOf(row, "vault") : undefined;
  // An invalid row may name nobody, or two.
  const isUnnamed = vault && Object.keys(vault).length === 0;
  if (isUnnamed || (fpId !== null && externalId !== null)) return null;
  const named = externalId === null ? null : "external_id";
  const identity = identityOf({ fpId, externalId, vault: (vault ?? {}) as CustomerRow["vault"] });
  return {
    column: fpId === null ? named : idColumn(kind ?? undefined),
    value: identityHash(sha256, identity),
  };
}

function doubtOf(row: Row): string | undefined {
  const { kind, externalId } = nameOf(row);
  if (kind === "business" && externalId !== null && externalId.length < SHORTEST_BUSINESS_ID)
    return `a business has an external id shorter than ${SHORTEST_BUSINESS_ID} characters; services are known that refuse it`;
  if (Object.keys(groupOf(row, "document")).some(isDocument))
    return "the contract has no upload of documents (document.document.…); a service that takes none refuses the row";
  return undefined;
}
