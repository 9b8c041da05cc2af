import { hasLoneSurrogate } from "./transaction-values.js";

/** What an external id of a business may look like, for people (docs/reference/service.md, "Limits"). */
export const BUSINESS_EXTERNAL_ID = "letters, digits, underscores, hyphens and periods";

/** Why a text can't be a business's external id, without quoting it; undefined when it can. */
export function businessExternalIdProblem(text: string): string | undefined {
  if (text === "") return "empty";
  return /^[A-Za-z0-9_.-]+$/.test(text) ? undefined : `a character other than ${BUSINESS_EXTERNAL_ID}`;
}

/**
 * Why a text can't name the user or business of an onboarding, without quoting it; undefined when it can.
 * The document limits the characters of businesses only, so that a user may have an address or a number with
 * signs; white space is a slip of whoever made the file.
 */
export function onboardingExternalIdProblem(text: string): string | undefined {
  if (text === "") return "empty";
  if (/[\s\p{Cc}]/u.test(text)) return "with white space or a control character";
  return hasLoneSurrogate(text) ? "with a lone surrogate" : undefined;
}

const CONTROL = /\p{Cc}/u;

/** Why a value can't be a user's `fp_id`, without quoting it; undefined when it can. */
export function fpIdProblem(value: string): string | undefined {
  if (value.trim() === "") return "is blank";
  // It becomes one segment of an address; these would not stay one.
  if (/[/\\]/.test(value)) return "has a slash";
  if (value === "." || value === "..") return "is a relative path";
  return externalIdProblem(value);
}

/** Why a value can't be a customer's id, without quoting it; undefined when it can. */
export function externalIdProblem(value: string): string | undefined {
  if (CONTROL.test(value)) return "has a control character";
  if (hasLoneSurrogate(value)) return "has a lone surrogate";
  return value === value.trim() ? undefined : "has spaces around it";
}
