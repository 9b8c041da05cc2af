import { type BrokenRule, broken } from "../row-problem.js";
import { hasLoneSurrogate } from "./transaction-values.js";

/** docs/reference/service.md, "Limits". */
export const BUSINESS_EXTERNAL_ID = "letters, digits, underscores, hyphens and periods";

/** Beyond the contract: some services refuse shorter ones. */
export const SHORTEST_BUSINESS_ID = 10;

/** Why a text can't be a business's external id, without quoting it. */
export function businessExternalIdProblem(text: string): BrokenRule | undefined {
  if (text === "") return broken("empty", "empty");
  if (/^[A-Za-z0-9_.-]+$/.test(text)) return undefined;
  return broken("character", `a character other than ${BUSINESS_EXTERNAL_ID}`);
}

/**
 * Why a text can't name the user or business of an onboarding, without quoting it. The service limits the characters of
 * businesses only; white space is a slip in the file.
 */
export function onboardingExternalIdProblem(text: string): BrokenRule | undefined {
  if (text === "") return broken("empty", "empty");
  const invisible = invisibleIn(text);
  if (invisible) return broken("invisible_character", `with ${invisible}`);
  if (/[\s\p{Cc}]/u.test(text)) return broken("white_space", "with white space or a control character");
  return hasLoneSurrogate(text) ? broken("lone_surrogate", "with a lone surrogate") : undefined;
}

export function invisibleIn(text: string): string | undefined {
  const point = /[\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u.exec(text)?.[0].codePointAt(0);
  if (point === undefined) return undefined;
  return `an invisible character (U+${point.toString(16).toUpperCase().padStart(4, "0")})`;
}

const CONTROL = /\p{Cc}/u;

/** Why a value can't be a user's `fp_id`, without quoting it. */
export function fpIdProblem(value: string): BrokenRule | undefined {
  if (value.trim() === "") return broken("blank", "is blank");
  // It is one segment of an address.
  if (/[/\\]/.test(value)) return broken("slash", "has a slash");
  if (value === "." || value === "..") return broken("relative_path", "is a relative path");
  return externalIdProblem(value);
}

/** Why a value can't be a customer's id, without quoting it. */
export function externalIdProblem(value: string): BrokenRule | undefined {
  const invisible = invisibleIn(value);
  if (invisible) return broken("invisible_character", `has ${invisible}`);
  if (CONTROL.test(value)) return broken("control_character", "has a control character");
  if (hasLoneSurrogate(value)) return broken("lone_surrogate", "has a lone surrogate");
  return value === value.trim() ? undefined : broken("outer_spaces", "has spaces around it");
}

/** An id that no user has. */
export const NOBODY = "nightledger-check";

export const HIDDEN = "•••";
const LAST_CHARACTERS = 4;
/** The last characters of a shorter id would show it. */
const SHORTEST_SHOWN = 9;

/** The last four characters of an id, for messages that must not name its owner. */
export function maskedId(id: string): string {
  return id.length < SHORTEST_SHOWN ? HIDDEN : `${HIDDEN}${id.slice(-LAST_CHARACTERS)}`;
}
