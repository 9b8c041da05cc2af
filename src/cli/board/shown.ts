import { chip, type Markup } from "../../pages/parts.js";

const GOOD = new Set(["completed"]);
const BAD = new Set(["failed", "completed_with_failures", "lost", "interrupted"]);

/** A status as every page shows it. */
export function statusChip(status: string): Markup {
  const tone = GOOD.has(status) ? "good" : BAD.has(status) ? "bad" : "note";
  return chip(status.replaceAll("_", " "), tone);
}

/** `1.5 MB`; powers of 1,000, as file systems count. */
export function bytesWords(bytes: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1_000 ** power;
  return `${power === 0 ? value : value.toFixed(1)} ${units[power]}`;
}

/** A long text, cut; by characters, so that none is cut in two. */
export function cut(text: string, most: number): string {
  const characters = [...text];
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join("")}…`;
}

/** An instant for people, to the second. */
export function instantWords(instant: string | null): string | null {
  return instant === null ? null : `${instant.slice(0, 19).replace("T", " ")}Z`;
}
