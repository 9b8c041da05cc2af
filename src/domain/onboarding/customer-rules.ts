import type { RowProblem } from "../row-problem.js";
import {
  businessExternalIdProblem,
  fpIdProblem,
  onboardingExternalIdProblem,
} from "../service/external-id.js";
import { CUSTOMER_KINDS, type CustomerKind, type CustomerRow, type Json, type RowName } from "./customer.js";
import type { NameColumn } from "./customer-column.js";
import { documentProblem, jsonProblem, type VaultOwner, vaultProblem } from "./customer-value-rules.js";

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

/** A broken rule: its column, null for the row as a whole, and its words; undefined where it is kept. */
type Finding = readonly [column: string | null, rule: string | undefined];

/** Checks a row against every rule of docs/use/onboarding.md, "The file"; lists all that it breaks, in a fixed order. */
export function judgeCustomer(given: GivenCustomer): JudgedCustomer {
  const { line, names, data, vault } = given;
  const kind = kindOf(names.kind);
  const columns = kind === "business" ? BUSINESS : USER;
  const found = [...idFindings(given, kind, columns), ...valueFindings(given, kind, columns)];
  const problems = [...given.problems];
  for (const [column, rule] of found) if (rule !== undefined) problems.push({ line, column, rule });
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
  externalIdProblem(text: string): string | undefined;
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

function worded(verb: string, problem: string | undefined): string | undefined {
  return problem === undefined ? undefined : `${verb} ${problem}`;
}

function kindOf(value: unknown): CustomerKind | undefined {
  return value === undefined ? "user" : CUSTOMER_KINDS.find((kind) => kind === value);
}

function idFindings(given: GivenCustomer, kind: CustomerKind | undefined, columns: IdColumns): Finding[] {
  const { names } = given;
  const { ours, theirs, externalIdProblem } = columns;
  const hasTheirs = names[theirs] !== undefined;
  const hasFpId = names[ours] !== undefined || hasTheirs;
  const hasExternalId = names.external_id !== undefined;
  const hint = names.kind === undefined ? ", or the kind business" : "";
  const isUnnamed = !hasFpId && !hasExternalId && kind !== undefined && given.problems.length === 0;
  return [
    ["kind", kind === undefined ? `is not ${CUSTOMER_KINDS.join(" or ")}` : undefined],
    [ours, idProblem(names[ours], fpIdProblem)],
    [theirs, hasTheirs && kind !== undefined ? `is not for a ${kind}: give ${ours}${hint}` : undefined],
    ["external_id", idProblem(names.external_id, externalIdProblem)],
    ["external_id", hasExternalId && hasFpId ? `is given together with ${ours}` : undefined],
    [ours, isUnnamed ? missingRule(given, kind) : undefined],
  ];
}

function valueFindings(given: GivenCustomer, kind: CustomerKind | undefined, { ours }: IdColumns): Finding[] {
  if (kind === undefined) return [];
  const { names, data, vault, document } = given;
  const hasExternalId = names.external_id !== undefined;
  const owner: VaultOwner = { kind, hasFpId: names[ours] !== undefined, hasExternalId };
  const twice = (name: string) => (vault.has(name) ? "is given as a value too" : undefined);
  return [
    ...[...data].map(([key, value]): Finding => [`data.${key}`, jsonProblem(value)]),
    ...[...vault].map(([name, value]): Finding => [`vault.${name}`, vaultProblem(owner, name, value)]),
    ...[...document].map(([name, path]): Finding => {
      return [`document.${name}`, documentProblem(owner, name, path) ?? twice(name)];
    }),
  ];
}

function idProblem(value: unknown, problemOf: (text: string) => string | undefined): string | undefined {
  if (value === undefined) return undefined;
  return typeof value === "string" ? problemOf(value) : "is not text";
}

/** An id that keeps its rule. */
function idOf(value: unknown, problemOf: (text: string) => string | undefined): string | null {
  return typeof value === "string" && problemOf(value) === undefined ? value : null;
}

function missingRule(given: GivenCustomer, kind: CustomerKind): string | undefined {
  if (kind === "user") return "is missing, and so is external_id";
  // Its first data is given at its creation, and is all that it is known by.
  if (given.vault.size > 0) return undefined;
  return "is missing, and so are external_id and first data (vault.…) to make the business with";
}

/** Fields as they are named, `__proto__` too. */
function recordOf(map: ReadonlyMap<string, unknown>): { readonly [name: string]: Json } {
  return Object.fromEntries(map) as { readonly [name: string]: Json };
}
