import { instantText } from "../../domain/duration.js";
import { chip, code, joined, link, type Markup, paragraph } from "../../pages/parts.js";
import { template } from "../../pages/template.js";

const GOOD = new Set(["completed", "synced", "unchanged", "pass"]);
const BAD = new Set(["failed", "completed_with_failures", "lost", "interrupted"]);

/** A status as every page shows it. */
export function statusChip(status: string): Markup {
  const tone = GOOD.has(status) ? "good" : BAD.has(status) ? "bad" : "note";
  return chip(status.replaceAll("_", " "), tone);
}

/** A long text, cut; by characters, so that none is cut in two. */
export function cut(text: string, most: number): string {
  const characters = [...text];
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join("")}…`;
}

const time = template('<time datetime="<%= it.at %>"><%= it.text %></time>');

/** An instant to the second; nothing where there is none. */
export function instant(at: string | null): Markup | null {
  return at === null || at === "" ? null : { html: time({ at, text: instantText(new Date(at)) }) };
}

const bar = template(
  '<progress max="<%= it.total %>" value="<%= it.done %>" aria-label="<%= it.label %>"></progress>\n',
);

/** How far something is; the words are beside it too. */
export function progressBar(done: number, total: number): Markup {
  return { html: bar({ done, total: Math.max(1, total), label: `${done} of ${total}` }) };
}

/** Rows that are shown, and how many there are. */
export interface Shown<Row> {
  readonly total: number;
  readonly rows: readonly Row[];
}

/** Says how many rows are not shown, and the command that shows all; nothing where none is left out. */
export function moreOf({ total, rows }: Shown<unknown>, command: string): Markup | null {
  return total > rows.length
    ? paragraph(joined(`${total - rows.length} more: `, code(command)), "aside")
    : null;
}

/** Leads to the page of one thing. */
export function linkTo(place: "runs" | "links" | "onboarding" | "data", id: string, text = id): Markup {
  return link(`/${place}/${encodeURIComponent(id)}`, text);
}

/** What is wrong with the page as a whole; nothing where nothing is. */
export function warning(words: string | null): Markup | null {
  return words === null ? null : paragraph(words, "warning");
}
