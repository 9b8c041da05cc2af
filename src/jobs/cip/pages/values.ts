import { instantOf } from "../../../domain/bulk/cip/report.js";
import { html, joined, type Markup } from "../../../pages/parts.js";

const AMOUNT = /^(le|lt|ge|gt)_?(\d+)([km]?)$/i;
const RANGE = /^[a-z]?(\d+)([km]?)_?to_?(\d+)([km]?)$/i;
const CODE = /^[A-Za-z0-9]+(?:_[A-Za-z0-9]+)+$/;
const BOUNDS: Readonly<Record<string, (amount: string) => string>> = {
  le: (amount) => `up to ${amount}`,
  lt: (amount) => `less than ${amount}`,
  ge: (amount) => `${amount} or more`,
  gt: (amount) => `more than ${amount}`,
};

/** A code as people read it: `le100k` as "up to 100,000", `grow_wealth` as "grow wealth". Other text stays as it is. */
export function codeInWords(text: string): string {
  if (text.startsWith("[")) return listInWords(text);
  const [, bound = "", most = "", unit = ""] = AMOUNT.exec(text) ?? [];
  const bounded = BOUNDS[bound.toLowerCase()];
  if (bounded !== undefined) return bounded(amount(most, unit));
  const [, from, fromUnit = "", to, toUnit = ""] = RANGE.exec(text) ?? [];
  if (from !== undefined && to !== undefined) return `${amount(from, fromUnit)} to ${amount(to, toUnit)}`;
  return CODE.test(text) ? text.replaceAll("_", " ") : text;
}

/** A reason with the code that it begins with in words: `not_found (…)` as "not found (…)". */
export function reasonInWords(text: string): string {
  return text.replace(/^[a-z]+(?:_[a-z]+)+(?=$|[ :])/, (code) => code.replaceAll("_", " "));
}

/** A list that is written as JSON; the text itself where it is none of texts. */
function listInWords(text: string): string {
  try {
    const items: unknown = JSON.parse(text);
    const isOfTexts = Array.isArray(items) && items.every((item) => typeof item === "string");
    return isOfTexts ? items.map(codeInWords).join(", ") : text;
  } catch {
    return text;
  }
}

function amount(digits: string, unit: string): string {
  const zeros = { "": "", k: "000", m: "000000" }[unit.toLowerCase()];
  return `${digits}${zeros}`.replaceAll(/\B(?=(?:\d{3})+$)/g, ",");
}

const INSTANTS = /(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d))/;

/** A text whose instants are in UTC and not broken over lines; each keeps what was written as its `datetime`. */
export function withTimes(text: string): Markup {
  const parts = text.split(INSTANTS).map((part) => {
    const shown = instantInWords(part);
    return shown === undefined ? part : html`<time datetime="${part}">${shown}</time>`;
  });
  return joined(...parts);
}

/** An instant to the second, in UTC: `2026-11-20 08:05:00 UTC`; undefined where the text is none. */
function instantInWords(text: string): string | undefined {
  const instant = instantOf(text);
  return instant === null ? undefined : `${instant.slice(0, 10)} ${instant.slice(11, 19)} UTC`;
}
