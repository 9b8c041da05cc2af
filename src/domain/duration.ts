export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

const UNITS = { s: SECOND, m: MINUTE, h: HOUR, d: DAY } as const;

/** Longer than any record is kept, within the limit of a timer. */
const LONGEST = 3_650 * DAY;

/** Milliseconds of `14d`, `36h`, `90m`, `30s`, up to `3650d`; undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  const [, count, unit] = /^([1-9]\d{0,8})([smhd])$/.exec(text) ?? [];
  if (count === undefined) return undefined;
  const ms = Number(count) * UNITS[unit as keyof typeof UNITS];
  return ms <= LONGEST ? ms : undefined;
}

const NAMED = Object.entries(UNITS).reverse();

/** What {@link parseDuration} reads, of whole seconds: `36h`, `90m`. */
export function durationText(ms: number): string {
  const [name, unit] = NAMED.find(([, one]) => ms % one === 0) ?? ["s", SECOND];
  return `${ms / unit}${name}`;
}

/** In its two largest units: `0.4s`, `12s`, `4m12s`, `2h05m`, `1d12h`. */
export function durationWords(milliseconds: number): string {
  const ms = Math.max(0, milliseconds);
  if (ms < 10 * SECOND && ms % SECOND !== 0) return `${(ms / SECOND).toFixed(1)}s`;
  let rest = Math.round(ms / SECOND) * SECOND;
  const parts: string[] = [];
  for (const [name, unit] of NAMED) {
    const count = Math.floor(rest / unit);
    rest -= count * unit;
    if (parts.length > 0) parts.push(`${String(count).padStart(2, "0")}${name}`);
    else if (count > 0) parts.push(`${count}${name}`);
  }
  const shown = parts.slice(0, 2).join("");
  return shown.replace(/(00[hms])+$/, "") || "0s";
}

/** An instant to the second, such as `2026-11-21T02:15:00Z`. */
export function instantText(at: number | Date): string {
  return new Date(at).toISOString().replace(/\.\d+Z$/, "Z");
}
