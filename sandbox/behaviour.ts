import { InputError } from "../src/domain/failures.js";
import { meantWords, nearestOf } from "../src/domain/words/nearest.js";

/**
 * How the service behaves where its contract is silent, or where it differs from it: a switch each, and what the
 * stand-in does with it. Without them it follows the contract's words.
 */
export const BEHAVIOURS = {
  "pending-replaced": "each refresh replaces all pending rows of a link, and no update names those that went",
  "ninety-days": "a list without start_date goes back 90 days",
  "original-ids": "imported rows come back under ids of the service's own, with the caller's in original_id",
  "own-ids": "imported rows come back under ids of the service's own and no other, without original-ids",
  "readable-errors": "links in state error keep their rows readable, and only they take imports",
  "ended-onboardings": "lists of onboardings show only those that have ended; pages may be short or empty",
  limits:
    "calls of an operation are limited in each minute: 60 about one link, user or business, 1,000 in all; 429 has Retry-After",
  "svix-headers": "webhooks are signed in svix-id, svix-timestamp and svix-signature",
  "other-prefix":
    "kinds of events begin with acme. instead of service., times have nine decimals, a bank link's no offset",
  "other-segment": "a CIP report is at /users/{fp_id}/integrations/acme/cip_report instead of …/brokerage/…",
  "existing-business": "a taken x-external-id answers 200 with the business that has it, instead of 400",
  "vault-forms":
    "vault values may be lists, uploads are taken of custom.* and document.* and else answered 500",
  "dated-times": "the dates of rows are date-times at midnight, and some amounts JSON numbers",
  "refused-link": "calls about the last connected link are answered 401, although the key is good",
  "two-dates": "answers have two Date headers, as behind a proxy",
} as const;

/** A way in which the stand-in can differ from the contract. */
export type Behaviour = keyof typeof BEHAVIOURS;

const NAMES = Object.keys(BEHAVIOURS) as Behaviour[];

/** Reads `contract` (none), `real` (all), or names separated by commas. @throws InputError for an unknown name */
export function behavioursOf(text: string): ReadonlySet<Behaviour> {
  if (text === "contract") return new Set();
  if (text === "real") return new Set(NAMES);
  return new Set(text.split(",").map(behaviourOf));
}

function behaviourOf(text: string): Behaviour {
  const name = NAMES.find((each) => each === text.trim());
  if (name !== undefined) return name;
  const meant = meantWords(nearestOf(["contract", "real", ...NAMES], text));
  throw new InputError(
    `--behaves: there is no behaviour ${JSON.stringify(text)}.${meant} Accepted: contract, real, or names separated by commas: ${NAMES.join(", ")}`,
  );
}
