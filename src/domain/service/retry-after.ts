/** The longest wait a service can impose: longer ones are cut, so that a wrong clock can't stop a night. */
export const MAX_RETRY_AFTER_MS = 15 * 60_000;

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const SECONDS = /^\d+(\.\d+)?$/;
const IMF_FIXDATE = /^[A-Z][a-z]{2}, (\d\d) ([A-Z][a-z]{2}) (\d{4}) (\d\d):(\d\d):(\d\d) GMT$/;
const RFC_850 = /^[A-Z][a-z]{5,8}, (\d\d)-([A-Z][a-z]{2})-(\d\d) (\d\d):(\d\d):(\d\d) GMT$/;
const ASCTIME = /^[A-Z][a-z]{2} ([A-Z][a-z]{2}) ([ \d]\d) (\d\d):(\d\d):(\d\d) (\d{4})$/;

/**
 * Reads a `Retry-After` header in either form, seconds or HTTP-date (RFC 9110, 10.2.3).
 *
 * @param now epoch milliseconds by the clock of whoever wrote a date, so best the answer's own `Date`.
 * @returns milliseconds to wait, at most {@link MAX_RETRY_AFTER_MS}; undefined for anything else.
 */
export function parseRetryAfter(value: string | undefined, now: number): number | undefined {
  const text = value?.trim();
  if (text === undefined) return undefined;
  const wait = SECONDS.test(text) ? Math.ceil(Number(text) * 1000) : sinceNow(parseHttpDate(text, now), now);
  return wait === undefined ? undefined : Math.min(wait, MAX_RETRY_AFTER_MS);
}

function sinceNow(at: number | undefined, now: number): number | undefined {
  return at === undefined ? undefined : Math.max(0, at - now);
}

/** Reads an HTTP-date in its three forms (RFC 9110, 5.6.7) as epoch milliseconds; undefined for anything else. */
export function parseHttpDate(text: string, now: number): number | undefined {
  const fixed = IMF_FIXDATE.exec(text);
  if (fixed) return instant(Number(fixed[3]), fixed[2], fixed[1], fixed.slice(4, 7));
  const old = RFC_850.exec(text);
  if (old) return instant(fullYear(Number(old[3]), now), old[2], old[1], old.slice(4, 7));
  const asctime = ASCTIME.exec(text);
  if (asctime) return instant(Number(asctime[6]), asctime[1], asctime[2], asctime.slice(3, 6));
  return undefined;
}

// A two-digit year more than 50 years ahead is in the past (RFC 9110, 5.6.7).
function fullYear(twoDigits: number, now: number): number {
  const current = new Date(now).getUTCFullYear();
  const year = current - (current % 100) + twoDigits;
  return year > current + 50 ? year - 100 : year;
}

function instant(
  year: number,
  monthName: string | undefined,
  dayText: string | undefined,
  clock: readonly string[],
): number | undefined {
  const month = MONTHS.indexOf(monthName ?? "");
  const [hours = 0, minutes = 0, seconds = 0] = clock.map(Number);
  const day = Number(dayText);
  // 60 is a leap second.
  if (month < 0 || hours > 23 || minutes > 59 || seconds > 60) return undefined;
  const at = Date.UTC(year, month, day, hours, minutes, seconds);
  return new Date(Date.UTC(year, month, day)).getUTCDate() === day ? at : undefined;
}
