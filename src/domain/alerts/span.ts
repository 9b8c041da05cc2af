import { DAY, HOUR, MINUTE, SECOND } from "../duration.js";

const UNITS = [
  [DAY, "d"],
  [HOUR, "h"],
  [MINUTE, "min"],
  [SECOND, "s"],
] as const;

/** A span of time in its two largest units, such as `1 d 17 h` or `40 s`. */
export function spanWords(ms: number): string {
  const first = UNITS.findIndex(([unit]) => ms >= unit);
  if (first === -1) return "0 s";
  const words: string[] = [];
  let rest = ms;
  for (const [unit, name] of UNITS.slice(first, first + 2)) {
    const count = Math.floor(rest / unit);
    rest -= count * unit;
    if (count > 0) words.push(`${count} ${name}`);
  }
  return words.join(" ");
}

/** An instant to the second, such as `2026-11-21T02:15:00Z`. */
export function instantWords(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, "Z");
}
