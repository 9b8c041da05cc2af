import { InvalidArgumentError } from "commander";
import { parseDuration } from "../../domain/duration.js";
import { isRealDay } from "../../domain/service/transaction-values.js";
import { FAIL_RULES, type FailRules, parseFailRules } from "../../domain/sync/fail-rules.js";

/** Milliseconds. */
export function duration(text: string): number {
  const ms = parseDuration(text);
  if (ms === undefined)
    throw new InvalidArgumentError(
      "accepted: a number and a unit, such as 14d, 36h, 90m or 30s; at most 3650d.",
    );
  return ms;
}

function wholeNumber(text: string, accepted: string, least = 0, most = Number.POSITIVE_INFINITY): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < least || value > most)
    throw new InvalidArgumentError(`accepted: ${accepted}.`);
  return value;
}

export function between(least: number, most: number, what = "a whole number"): (text: string) => number {
  return (text) => wholeNumber(text, `${what} from ${least} to ${most}`, least, most);
}

export const count = (text: string) => wholeNumber(text, "a whole number");

export const positive = (text: string) => wholeNumber(text, "a positive whole number", 1);

/** 0 is no limit. */
export const rowLimit = (text: string) =>
  wholeNumber(text, "a whole number; 0 shows all") || Number.POSITIVE_INFINITY;

/** Separated by commas; sorted and unique. */
export function namesOf(what: string, accepted: readonly string[]): (text: string) => string[] {
  return (text) => {
    const given = listed(text);
    if (given.includes(""))
      throw new InvalidArgumentError(
        `the name of a ${what} is empty; accepted, separated by commas without spaces: ${accepted.join(", ")}.`,
      );
    for (const name of given) {
      if (!accepted.includes(name))
        throw new InvalidArgumentError(`unknown ${what} ${name}; accepted: ${accepted.join(", ")}.`);
    }
    return [...new Set(given)].sort();
  };
}

/** Separated by commas; sorted and unique. */
export function idList(text: string): string[] {
  const given = listed(text);
  if (given.includes("")) throw new InvalidArgumentError("an id is empty; accepted: ID,ID,…");
  return [...new Set(given)].sort();
}

function listed(text: string): string[] {
  return text.split(",").map((name) => name.trim());
}

export const portNumber = between(0, 65_535, "a number");

/** A day, an instant, or how long ago, such as `36h`; an ISO instant. */
export function pastInstant(text: string): string {
  const ago = parseDuration(text);
  const at = ago === undefined ? new Date(text) : new Date(Date.now() - ago);
  const [day] = /^\d{4}-\d{2}-\d{2}(?=$|T.*(Z|[+-]\d{2}:\d{2})$)/.exec(text) ?? [];
  // JavaScript reads 31 February as 3 March.
  const isTime = ago !== undefined || (day !== undefined && isRealDay(day));
  if (!isTime || Number.isNaN(at.getTime()))
    throw new InvalidArgumentError("accepted: 2026-11-21, 2026-11-21T02:15:00Z, or a time ago, such as 36h.");
  return at.toISOString();
}

/** What else makes a sync exit with 1. A shell takes an unquoted `>` as a redirection, so only *stale* arrives. */
export function failRules(text: string): FailRules {
  const rules = parseFailRules(text);
  if (!("wrong" in rules)) return rules;
  const quotes = rules.wrong.startsWith("stale")
    ? "; quote it, because the shell treats > as a redirection"
    : "";
  throw new InvalidArgumentError(
    `unknown rule ${JSON.stringify(rules.wrong)}; accepted: ${FAIL_RULES}${quotes}.`,
  );
}
