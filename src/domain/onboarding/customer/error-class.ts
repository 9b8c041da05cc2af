/** Why an onboarding ended with `error`, by who can fix it (`onboardings.error_class`). */
export const ONBOARDING_ERRORS = {
  /** The playbook or the account: the same for every customer. */
  config: "OnboardingConfigError",
  /** The data of this customer. */
  data: "OnboardingDataError",
  /** Neither: another attempt may succeed. */
  transient: "OnboardingTransientError",
} as const;
type OnboardingErrorClass = (typeof ONBOARDING_ERRORS)[keyof typeof ONBOARDING_ERRORS];

const { config, data, transient } = ONBOARDING_ERRORS;

/** Any of these words, alone or as plurals. */
const anyOf = (words: string) => new RegExp(`\\b(${words.replaceAll(" ", "|")})(e?s)?\\b`);

/** The first match counts: "vendor not configured" is a matter of configuration, not of the vendor. */
const SIGNS: readonly (readonly [RegExp, OnboardingErrorClass])[] = [
  [/\b(not|isn't|wasn't) (configured|enabled|allowed|permitted)\b|\bmisconfigur|\bdisabled\b/, config],
  [
    /\btime[ds]?[ -]?out\b|\b(un|not )available\b|\binternal\b|\boverload|\btemporar|\bunreachable\b/,
    transient,
  ],
  [
    /\btry (it )?(again|later)\b|\bretry|\b(vendor|upstream|network|connection)\b|\btoo many requests\b/,
    transient,
  ],
  [/\b(id|custom|investor_profile|document|business)\.[a-z]/, data],
  [/\b(playbook|branch|version|key|node|rule|workflow|setting)(e?s)?\b|\bconfigur|\bcredential/, config],
  [anyOf("customer user applicant person business owner field value identity identifier vault data"), data],
  [anyOf("name birth dob age address street city state zip postal country nationality citizenship"), data],
  [anyOf("e-?mail phone ssn\\d? itin tin tax passport licen[cs]e document image photo selfie visa"), data],
  [
    /\b(missing|invalid|required|malformed|incomplete|mismatch|expired|unreadable)\b|\btoo (long|short)\b/,
    data,
  ],
];

/**
 * Classifies an error message by its words, because the service gives no code
 * (docs/reference/service.md, "Onboarding result"). A message that says nothing, or none, counts as transient: another
 * attempt does no harm. Without the row's values, the same error has one class for every customer.
 */
export function onboardingErrorClass(message: string | null): OnboardingErrorClass {
  const words = (message ?? "").toLowerCase().replaceAll("[value]", "");
  return SIGNS.find(([sign]) => sign.test(words))?.[1] ?? transient;
}
