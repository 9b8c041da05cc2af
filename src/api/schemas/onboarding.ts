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

// A status that is not in docs/reference/service.md, "Onboarding statuses", passes: it is kept
// and flagged, never a reason to lose an outcome.
const status = filledText;

/**
 * How an end user continues an onboarding; token and link are secrets
 * (docs/reference/service.md, "Onboarding result").
 */
const continuation = looseObject(each(filledText, "expires_at", "link", "token"));

/** The result of creating an onboarding (docs/reference/service.md, "Onboarding result"). */
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
 * What `GET /onboardings/{id}` answers. Its shape is not shown: an object in which the fields of an
 * onboarding result, where they are there, are of their kinds.
 */
export const onboardingSchema = looseObject({
  ...each(optionalText, "id", "status", "error_message"),
  requires_manual_review: optionalFlag,
  output: onboardingResultSchema.shape.output,
  continue_onboarding: continuation.partial().nullish(),
});
export type Onboarding = z.output<typeof onboardingSchema>;

/** An item of an onboarding list (docs/reference/service.md, "Onboarding lists"). */
const onboardingItemSchema = looseObject({
  id: filledText,
  external_id: optionalText,
  playbook_key: filledText,
  status,
  timestamp: filledText,
});
export type OnboardingItem = z.output<typeof onboardingItemSchema>;

/** One page of an onboarding list; no `next_page` means that it is the last. */
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

/** The result of validating a session (docs/reference/service.md, "Session validation"). */
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
