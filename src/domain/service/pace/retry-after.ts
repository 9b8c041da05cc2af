/** Longer waits are cut: a wrong clock costs at most a day. */
export const MAX_RETRY_AFTER_MS = 24 * 60 * 60_000;

const SECONDS = /^\d+(\.\d+)?$/;
/** The three forms of an HTTP-date (RFC 9110, 5.6.7); the second has two digits for its year. */
const DATES = [
  /^[A-Z][a-z]{2}, (?<day>\d\d) [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/,
  /^[A-Z][a-z]{5,8}, (?<day>\d\d)-[A-Z][a-z]{2}-(?<short>\d\d) \d\d:\d\d:\d\d GMT$/,
  /^[A-Z][a-z]{2} [A-Z][a-z]{2} (?<day>[ \d]\d) \d\d:\d\d:\d\d \d{4}$/,
];

/**
 * Milliseconds to wait by a `Retry-After` header (RFC 9110, 10.2.3), at most {@link MAX_RETRY_AFTER_MS}; undefined for
 * anything else. `now` is best the answer's own `Date`.
 */
export function parseRetryAfter(value: string | undefined, now: number): number | undefined {
  const text = value?.trim();
  if (text === undefined) return undefined;
  const at = SECONDS.test(text) ? now + Math.ceil(Number(text) * 1000) : parseHttpDate(text, now);
  return at === undefined ? undefined : Math.min(Math.max(0, at - now), MAX_RETRY_AFTER_MS);
}

/** An HTTP-date as epoch milliseconds; undefined for anything else. */
export function parseHttpDate(text: string, now: number): number | undefined {
  const parts = DATES.map((form) => form.exec(text)?.groups).find((groups) => groups !== undefined);
  const date = new Date(text.endsWith("GMT") ? text : `${text} GMT`);
  // JavaScript reads February 31 as March 3.
  if (parts === undefined || date.getUTCDate() !== Number(parts.day)) return undefined;
  // JavaScript reads 76 as 1976; RFC 9110, 5.6.7 allows up to 50 years ahead.
  const later = date.getUTCFullYear() + 100;
  if (parts.short !== undefined && later <= new Date(now).getUTCFullYear() + 50) date.setUTCFullYear(later);
  return date.getTime();
}
