import { z } from "zod";
import { idText, ownIdText } from "../../api/file-fields.js";
import type { BusinessInsights } from "../../api/schemas/business-insights.js";
import type { OnboardingItem } from "../../api/schemas/onboarding.js";

/** A row of the businesses file. */
export const businessRow = z.object({
  fp_bid: idText,
  external_id: ownIdText.optional(),
  /** The person that the business belongs to, where there is one. */
  fp_id: idText.optional(),
});

export type BusinessRow = z.output<typeof businessRow>;

/** Whether a row of an export is a business. */
export function isBusiness(row: object): row is BusinessRow {
  return "fp_bid" in row;
}

/** An onboarding of a business, and what is known of the business after it. */
export interface BusinessOnboarding {
  readonly onboarding: OnboardingItem;
  /** `none`: the service has no insights of it; `not_ended`: it was not asked, because the onboarding goes on. */
  readonly state: "found" | "none" | "not_ended";
  /** There exactly where they were found. A number that a double can't hold is its text. */
  readonly insights: BusinessInsights | null;
  /** ISO instant of the answer; null where there is none. */
  readonly askedAt: string | null;
}

/** What became of a business of the file: its onboardings by their ids. */
export interface BusinessResult {
  readonly onboardings: readonly BusinessOnboarding[];
}
