import type { RowProblem } from "../row-problem.js";
import {
  businessExternalIdProblem,
  fpIdProblem,
  onboardingExternalIdProblem,
} from "../service/external-id.js";
import { CUSTOMER_KINDS, type CustomerKind, type Json, type RowName } from "./customer.js";
import type { NameColumn } from "./customer-column.js";
import { dataProblem, documentProblem, type VaultOwner, vaultProblem } from "./customer-value-rules.js";

/** A row as its file gives it; what is empty or null is left out. */
export interface GivenCustomer {
  readonly line: number;
  readonly names: { readonly [column in NameColumn]?: unknown };
  readonly data: ReadonlyMap<string, unknown>;
  readonly vault: ReadonlyMap<string, unknown>;
  /** Paths by identifier. */
  readonly document: ReadonlyMap<string, unknown>;
  /** What was found wrong with its form. */
  readonly problems: readonly RowProblem[];
}

/** A row that keeps every rule that can be told from the file alone. */
export interface DraftCustomer {
  readonly line: number;
  readonly kind: CustomerKind;
  readonly fpId: string | null;
  readonly externalId: string | null;
  readonly prerequisiteData: { readonly [key: string]: Json } | null;
  readonly vault: { readonly [identifier: string]: Json };
  /** Paths as given, by identifier. */
  readonly documents: ReadonlyMap<string, string>;
  readonly create: boolean;
}

/** A row after its rules: a draft, or all that is wrong with it. */
type JudgedCustomer =
  | { readonly draft: DraftCustomer }
  | { readonly name: RowName; readonly problems: readonly RowProblem[] };

/** Holds a row against every rule of docs/use/onboarding.md, "The file"; lists all that it breaks. */
export function judgeCustomer(given: GivenCustomer): JudgedCustomer {
  const { line, names } = given;
  const problems = [...given.problems];
  const add = (column: string | null, rule: string | undefined) => {
    if (rule !== undefined) problems.push({ line, column, rule });
  };
  const kind = kindOf(names.kind);
  if (kind === undefined) add("kind", `is not ${CUSTOMER_KINDS.join(" or ")}`);
  const known = kind ?? "user";
  const [ours, theirs] = known === "user" ? (["fp_id", "fp_bid"] as const) : (["fp_bid", "fp_id"] as const);
  const fpId = textOf(names[ours], fpIdProblem, (rule) => add(ours, rule));
  if (kind !== undefined && names[theirs] !== undefined) {
    add(
      theirs,
      `is not for a ${kind}: give ${ours}${names.kind === undefined ? ", or the kind business" : ""}`,
    );
  }
  const external = known === "business" ? businessExternalId : externalId;
  const ownId = textOf(names.external_id, external, (rule) => add("external_id", rule));
  const named = names[ours] !== undefined || names[theirs] !== undefined;
  if (names.external_id !== undefined && named) add("external_id", `is given together with ${ours}`);
  const hasNoId = names.external_id === undefined && !named;
  if (hasNoId && kind !== undefined && given.problems.length === 0) add(ours, missingRule(given, kind));
  if (kind !== undefined) {
    const owner: VaultOwner = {
      kind,
      hasFpId: names[ours] !== undefined,
      hasExternalId: names.external_id !== undefined,
    };
    for (const [key, value] of given.data) add(`data.${key}`, dataProblem(value));
    for (const [name, value] of given.vault) add(`vault.${name}`, vaultProblem(owner, name, value));
    for (const [name, path] of given.document) {
      const twice = given.vault.has(name) ? "is given as a value too" : undefined;
      add(`document.${name}`, documentProblem(owner, name, path) ?? twice);
    }
  }
  const ids = { fpId: fpId ?? null, externalId: ownId ?? null };
  if (problems.length > 0 || kind === undefined) return { name: { kind: kind ?? null, ...ids }, problems };
  return {
    draft: {
      line,
      kind,
      ...ids,
      prerequisiteData: given.data.size === 0 ? null : recordOf(given.data),
      vault: recordOf(given.vault),
      documents: given.document as ReadonlyMap<string, string>,
      create: kind === "business" && fpId === undefined,
    },
  };
}

function kindOf(value: unknown): CustomerKind | undefined {
  return value === undefined ? "user" : CUSTOMER_KINDS.find((kind) => kind === value);
}

/** The text of an id where it keeps its rule. */
function textOf(
  value: unknown,
  problemOf: (text: string) => string | undefined,
  report: (rule: string) => void,
): string | undefined {
  if (value === undefined) return undefined;
  const problem = typeof value === "string" ? problemOf(value) : "is not text";
  if (problem === undefined) return value as string;
  report(problem);
  return undefined;
}

function externalId(text: string): string | undefined {
  const problem = onboardingExternalIdProblem(text);
  return problem === undefined ? undefined : `is one ${problem}`;
}

function businessExternalId(text: string): string | undefined {
  const problem = businessExternalIdProblem(text);
  return problem === undefined ? undefined : `has ${problem}`;
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
