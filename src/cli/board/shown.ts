import { chip, type Markup } from "../../pages/parts.js";

const GOOD = new Set(["completed"]);
const BAD = new Set(["failed", "completed_with_failures", "lost", "interrupted"]);

/** A status as every page shows it. */
export function statusChip(status: string): Markup {
  const tone = GOOD.has(status) ? "good" : BAD.has(status) ? "bad" : "note";
  return chip(status.replaceAll("_", " "), tone);
}
