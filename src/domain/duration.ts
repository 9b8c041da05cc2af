/** In milliseconds. */
export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

const UNITS = { s: SECOND, m: MINUTE, h: HOUR, d: DAY } as const;

/** Ten years: longer than any record must be kept, and well within the limit of a timer. */
const LONGEST = 3_650 * DAY;

/** Reads a duration such as `14d`, `36h`, `90m`, `30s`, up to `3650d`; milliseconds, undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  const [, count, unit] = /^([1-9]\d{0,8})([smhd])$/.exec(text) ?? [];
  if (count === undefined) return undefined;
  const ms = Number(count) * UNITS[unit as keyof typeof UNITS];
  return ms <= LONGEST ? ms : undefined;
}

/** A duration in its two largest units: `0.4s`, `12s`, `4m12s`, `2h05m`, `3d04h`. */
export function durationWords(ms: number): string {
  if (ms < 10 * SECOND) return `${(ms / SECOND).toFixed(1)}s`;
  const seconds = Math.round(ms / SECOND);
  const [days, hours, minutes] = [Math.floor(seconds / 86_400), Math.floor(seconds / 3_600), seconds / 60];
  const two = (value: number) => String(Math.floor(value)).padStart(2, "0");
  if (seconds < 60) return `${seconds}s`;
  if (hours === 0) return `${Math.floor(minutes)}m${two(seconds % 60)}s`;
  if (days === 0) return `${hours}h${two(minutes % 60)}m`;
  return `${days}d${two(hours % 24)}h`;
}
