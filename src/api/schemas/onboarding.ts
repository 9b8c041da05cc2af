import { z } from "zod";
import {
  each,
  filledText,
  flag,
  integer,
  listOf,
  looseObject,
  optionalFlag,
  optionalText,
} from "./fields.js";

// An unknown status is kept and flagged: it must not cost an outcome.
const status = filledText;

/** Token and link are secrets (docs/reference/service.md, "Onboarding result"). */
const continuation = looseObject(each(filledText, "expires_at", "link", "token"));

/** docs/reference/service.md, "Onboarding result". */
export const onboardingResultSchema = looseObject({
  id: filledText,
  status,
  requires_manual_review: flag,
  output: z.record(z.string(), z.unknown(), "not an object").nullish(),
  error_message: optionalText,
  continue_onboarding: continuation.nullish(),
});
export type OnboardingResult = z.output<typeof onboardingResultSchema>;

/**
 * `GET /onboardings/{id}`: the contract does not show its shape, so only fields of an onboarding result are checked.
 */
export const onboardingSchema = looseObject({
  ...each(optionalText, "id", "status", "error_message"),
  requires_manual_review: optionalFlag,
  output: onboardingResultSchema.shape.output,
  continue_onboarding: continuation.partial().nullish(),
});
export type Onboarding = z.output<typeof onboardingSchema>;

/** docs/reference/service.md, "Onboarding lists". */
const onboardingItemSchema = looseObject({
  id: filledText,
  external_id: optionalText,
  playbook_key: filledText,
  status,
  timestamp: filledText,
});
export type OnboardingItem = z.output<typeof onboardingItemSchema>;

/** The last page has no `next_page`. */
export const onboardingPageSchema = looseObject({
  data: listOf(onboardingItemSchema),
  meta: looseObject({ next_page: integer.nullish() }).nullish(),
});

const validated = looseObject({
  fp_id: filledText,
  external_id: optionalText,
  onboarding_id: filledText,
  onboarding_external_id: optionalText,
  playbook_key: filledText,
  requires_manual_review: flag,
  status,
});

/** docs/reference/service.md, "Session validation". */
export const sessionSchema = looseObject({
  user: validated.nullish(),
  business: validated.nullish(),
  bank_link: looseObject({ id: optionalText, intent_id: optionalText }).nullish(),
  user_auth: looseObject({
    fp_id: filledText,
    external_id: optionalText,
    auth_events: listOf(looseObject({ kind: filledText, timestamp: filledText })),
  }).nullish(),
});
export type Session = z.output<typeof sessionSchema>;
