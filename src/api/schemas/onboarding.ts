import { z } from "zod";
import { filledText, optionalFlag, optionalText } from "./texts.js";

// A status that is not in docs/reference/service.md, "Onboarding statuses", passes: it is kept and flagged, never a
// reason to lose an outcome.
const status = filledText;

/**
 * How an end user goes on with an onboarding; token and link are secrets
 * (docs/reference/service.md, "Onboarding result").
 */
const continuation = z.looseObject(
  { expires_at: filledText, link: filledText, token: filledText },
  "not an object",
);

/** The result of creating an onboarding (docs/reference/service.md, "Onboarding result"). */
export const onboardingResultSchema = z.looseObject(
  {
    id: filledText,
    status,
    requires_manual_review: z.boolean("not true or false"),
    output: z.record(z.string(), z.unknown(), "not an object").nullish(),
    error_message: optionalText,
    continue_onboarding: continuation.nullish(),
  },
  "not an object",
);
export type OnboardingResult = z.output<typeof onboardingResultSchema>;

/**
 * What `GET /onboardings/{id}` answers. Its shape is not shown: an object in which the fields of an
 * onboarding result, where they are there, are of their kinds.
 */
export const onboardingSchema = z.looseObject(
  {
    id: optionalText,
    status: optionalText,
    requires_manual_review: optionalFlag,
    output: onboardingResultSchema.shape.output,
    error_message: optionalText,
    continue_onboarding: continuation.partial().nullish(),
  },
  "not an object",
);
export type Onboarding = z.output<typeof onboardingSchema>;

/** An item of an onboarding list (docs/reference/service.md, "Onboarding lists"). */
const onboardingItemSchema = z.looseObject(
  {
    id: filledText,
    external_id: optionalText,
    playbook_key: filledText,
    status,
    timestamp: filledText,
  },
  "not an object",
);
export type OnboardingItem = z.output<typeof onboardingItemSchema>;

/** One page of an onboarding list; no `next_page` means that it is the last. */
export const onboardingPageSchema = z.looseObject(
  {
    data: z.array(onboardingItemSchema, "not a list"),
    meta: z.looseObject({ next_page: z.int("not an integer").nullish() }, "not an object").nullish(),
  },
  "not an object",
);

const validated = z.looseObject(
  {
    fp_id: filledText,
    external_id: optionalText,
    onboarding_id: filledText,
    onboarding_external_id: optionalText,
    playbook_key: filledText,
    requires_manual_review: z.boolean("not true or false"),
    status,
  },
  "not an object",
);

/** The result of validating a session (docs/reference/service.md, "Session validation"). */
export const sessionSchema = z.looseObject(
  {
    user: validated.nullish(),
    business: validated.nullish(),
    bank_link: z.looseObject({ id: optionalText, intent_id: optionalText }, "not an object").nullish(),
    user_auth: z
      .looseObject(
        {
          fp_id: filledText,
          external_id: optionalText,
          auth_events: z.array(
            z.looseObject({ kind: filledText, timestamp: filledText }, "not an object"),
            "not a list",
          ),
        },
        "not an object",
      )
      .nullish(),
  },
  "not an object",
);
export type Session = z.output<typeof sessionSchema>;
