/** The longest wait a service can impose: longer ones are cut, so that a wrong clock can't stop a night. */
export const MAX_RETRY_AFTER_MS = 15 * 60_000;

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const SECONDS = /^\d+(\.\d+)?$/;
/** The three forms of an HTTP-date (RFC 9110, 5.6.7). */
const DATES = [
  /^[A-Z][a-z]{2}, (?<day>\d\d) (?<month>[A-Z][a-z]{2}) (?<year>\d{4}) (?<clock>\d\d:\d\d:\d\d) GMT$/,
  /^[A-Z][a-z]{5,8}, (?<day>\d\d)-(?<month>[A-Z][a-z]{2})-(?<year>\d\d) (?<clock>\d\d:\d\d:\d\d) GMT$/,
  /^[A-Z][a-z]{2} (?<month>[A-Z][a-z]{2}) (?<day>[ \d]\d) (?<clock>\d\d:\d\d:\d\d) (?<year>\d{4})$/,
];

/**
 * Reads a `Retry-After` header, seconds or HTTP-date (RFC 9110, 10.2.3), as milliseconds to wait, at most
 * {@link MAX_RETRY_AFTER_MS}; undefined for anything else. `now` is best the answer's own `Date`.
 */
export function parseRetryAfter(value: string | undefined, now: number): number | undefined {
  const text = value?.trim();
  if (text === undefined) return undefined;
  const at = SECONDS.test(text) ? now + Math.ceil(Number(text) * 1000) : parseHttpDate(text, now);
  return at === undefined ? undefined : Math.min(Math.max(0, at - now), MAX_RETRY_AFTER_MS);
}

/** Reads an HTTP-date as epoch milliseconds; undefined for anything else. */
export function parseHttpDate(text: string, now: number): number | undefined {
  const parts = DATES.map((form) => form.exec(text)?.groups).find((groups) => groups !== undefined);
  if (parts === undefined) return undefined;
  const { year = "", month = "", day = "", clock = "" } = parts;
  const [hours = 0, minutes = 0, seconds = 0] = clock.split(":").map(Number);
  const date = [fullYear(year, now), MONTHS.indexOf(month), Number(day)] as const;
  // 60 is a leap second.
  if (date[1] < 0 || hours > 23 || minutes > 59 || seconds > 60) return undefined;
  const isReal = new Date(Date.UTC(...date)).getUTCDate() === date[2];
  return isReal ? Date.UTC(...date, hours, minutes, seconds) : undefined;
}

// A two-digit year more than 50 years ahead is in the past (RFC 9110, 5.6.7).
function fullYear(digits: string, now: number): number {
  if (digits.length > 2) return Number(digits);
  const current = new Date(now).getUTCFullYear();
  const year = current - (current % 100) + Number(digits);
  return year > current + 50 ? year - 100 : year;
}
