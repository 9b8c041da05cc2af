import type { NamedFile, RowProblem } from "../row-problem.js";

export const CUSTOMER_KINDS = ["user", "business"] as const;
export type CustomerKind = (typeof CUSTOMER_KINDS)[number];

/** Whether `POST /onboardings` waits for the decision (docs/reference/service.md, "Onboarding creation"). */
export const ONBOARDING_MODES = ["sync", "async"] as const;
export type OnboardingMode = (typeof ONBOARDING_MODES)[number];

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** A right row of a customers file: personal data, so it is sealed wherever it is kept. */
export interface CustomerRow {
  readonly line: number;
  readonly kind: CustomerKind;
  /** `fp_id` of a user or `fp_bid` of a business. */
  readonly fpId: string | null;
  /** Only where there is no `fpId`: the service takes one of them. */
  readonly externalId: string | null;
  readonly prerequisiteData: { readonly [key: string]: Json } | null;
  /** Values by identifier: written with a client token, for a new business given at its creation. */
  readonly vault: { readonly [identifier: string]: Json };
  readonly documents: { readonly [identifier: string]: NamedFile };
  /** A business without `fp_bid`: it is created first, unless its external id is taken. */
  readonly create: boolean;
}

/** The values of a row that no message may quote: all that the service gets. */
export function valuesOf({ fpId, externalId, vault, prerequisiteData }: CustomerRow): unknown[] {
  return [fpId, externalId, vault, prerequisiteData];
}

export interface RowName {
  readonly kind: CustomerKind | null;
  readonly fpId: string | null;
  readonly externalId: string | null;
}

/** A row of a batch that can run. */
export interface RightRow {
  /** From 0, wrong rows counted. */
  readonly row: number;
  readonly line: number;
  readonly rowKey: string;
  readonly identityHash: string;
  readonly customer: CustomerRow;
}

export interface WrongRow {
  readonly row: number;
  readonly line: number;
  readonly name: RowName;
  readonly problems: readonly RowProblem[];
}

/** Sealed: it holds personal data. */
export type FrozenRow = RightRow | WrongRow;

export function isRight(row: FrozenRow): row is RightRow {
  return "customer" in row;
}

export const FORGOTTEN = "forgotten";

/** What is left of a row whose customer was forgotten: it can't run, and names nobody. */
export function forgottenRow({ row, line }: FrozenRow): WrongRow {
  const problems = [{ line, column: null, code: FORGOTTEN, rule: "its customer was forgotten" }];
  return { row, line, name: { kind: null, fpId: null, externalId: null }, problems };
}
