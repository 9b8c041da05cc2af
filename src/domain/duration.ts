/** In milliseconds. */
export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

const UNITS = { s: SECOND, m: MINUTE, h: HOUR, d: DAY } as const;

/** Ten years: longer than any record must be kept, and well within what a timer can hold. */
const LONGEST = 3_650 * DAY;

/** Reads a duration such as `14d`, `36h`, `90m`, `30s`, up to `3650d`; milliseconds, undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  const [, count, unit] = /^([1-9]\d{0,8})([smhd])$/.exec(text) ?? [];
  if (count === undefined) return undefined;
  const ms = Number(count) * UNITS[unit as keyof typeof UNITS];
  return ms <= LONGEST ? ms : undefined;
}
