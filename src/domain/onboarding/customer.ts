import type { NamedFile } from "../row-problem.js";

export const CUSTOMER_KINDS = ["user", "business"] as const;
export type CustomerKind = (typeof CUSTOMER_KINDS)[number];

/** Whether `POST /onboardings` waits for the decision (docs/reference/service.md, "Onboarding creation"). */
export const ONBOARDING_MODES = ["sync", "async"] as const;
export type OnboardingMode = (typeof ONBOARDING_MODES)[number];

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** A right row of a customers file: personal data, so it is sealed wherever it is kept. */
export interface CustomerRow {
  /** Line of the file it starts at, from 1. */
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

/** The ids of a wrong row, where they are right by themselves. */
export interface RowName {
  readonly kind: CustomerKind | null;
  readonly fpId: string | null;
  readonly externalId: string | null;
}
