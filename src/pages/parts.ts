/** Our own markup; other contents are escaped. */
export interface Markup {
  readonly html: string;
  /** Right-aligned in tables. */
  readonly isFigure?: boolean;
}

/** Null shows nothing. */
export type Content = string | number | null | Markup;

/** HTML's own signs, and control characters, which a browser would guess at. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
const UNSAFE = /[&<>"'\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g;
const ENTITIES: Readonly<Record<string, string>> = {
  ...{ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" },
};

function htmlOf(content: Content | readonly Content[]): string {
  if (content === null) return "";
  if (typeof content === "object") return "html" in content ? content.html : content.map(htmlOf).join("");
  return String(content).replace(UNSAFE, (one) => ENTITIES[one] ?? "\ufffd");
}

/** html`<b>${name}</b>`, with escaped contents. */
export function html(
  [first = "", ...others]: TemplateStringsArray,
  ...contents: readonly (Content | readonly Content[])[]
): Markup {
  const parts = others.map((after, at) => htmlOf(contents[at] ?? null) + after);
  return { html: first + parts.join("") };
}

export function joined(...contents: readonly Content[]): Markup {
  return html`${contents}`;
}

/** A page up to its main part. */
export function pageStart(title: string, head: Content): Markup {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
${head}</head>
<body>
<nav class="skip"><a href="#main">Skip to the contents</a></nav>
`;
}

/** @param href unchecked: addresses of our own pages, with their parts encoded */
export function link(href: string, text: string): Markup {
  return html`<a href="${href}">${text}</a>`;
}

export function chip(text: string, tone: "good" | "bad" | "note" | "" = ""): Markup {
  return html`<span class="chip ${tone}">${text}</span>`;
}

export function code(text: Content): Markup {
  return html`<code>${text}</code>`;
}

/** Keeps right-to-left text from moving its neighbours. */
export function bdi(text: Content): Markup {
  return html`<bdi>${text}</bdi>`;
}

/** The beginning of a hash; its title has all of it. */
export function shortCode(text: string, length = 12): Markup {
  return text.length <= length ? code(text) : html`<code title="${text}">${text.slice(0, length)}…</code>`;
}

export function details(summary: string, ...contents: readonly Content[]): Markup {
  return html`<details><summary>${summary}</summary>${contents}</details>\n`;
}

export function preformatted(text: string): Markup {
  return html`<pre tabindex="0">${text}</pre>\n`;
}

export function paragraph(content: Content, kind = ""): Markup {
  return html`<p class="${kind}">${content}</p>\n`;
}

export function section(title: string, ...contents: readonly Content[]): Markup {
  const id = title.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>\n${contents}</section>\n`;
}

/** A table that scrolls; without rows it says `none`. @param listing class of a table whose rows have heads */
export function table(
  label: string,
  none: string,
  columns: readonly string[],
  rows: readonly (readonly Content[])[],
  listing?: string,
): Markup {
  if (rows.length === 0) return paragraph(none, "none");
  const kinds = columns.map((_, at) => (rows.some((row) => isFigure(row[at] ?? null)) ? "count" : ""));
  const heads = columns.map((name, at) => html`<th scope="col" class="${kinds[at] ?? ""}">${name}</th>`);
  const cells = (row: readonly Content[]) =>
    row.map((cell, at) =>
      at === 0 && listing !== undefined
        ? html`<th scope="row">${cell}</th>`
        : html`<td class="${kinds[at] ?? ""}">${cell}</td>`,
    );
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${label}"><table class="${listing ?? ""}"><thead><tr>${heads}</tr></thead><tbody>
${rows.map((row) => html`<tr>${cells(row)}</tr>\n`)}</tbody></table></div>\n`;
}

function isFigure(cell: Content): boolean {
  return typeof cell === "number" || (typeof cell === "object" && cell?.isFigure === true);
}

/** Text such as `1.5 MB`. */
export function figure(text: string): Markup {
  return { ...joined(text), isFigure: true };
}

/** Without empty ones. */
export function facts(told: Readonly<Record<string, Content>>): Markup {
  const shown = Object.entries(told).filter(([, content]) => content !== null && content !== "");
  const items = shown.map(([name, content]) => html`<div><dt>${name}</dt><dd>${content}</dd></div>\n`);
  return html`<dl class="facts">\n${items}</dl>\n`;
}

/** A bad one asks for attention. */
export function headNumber(value: string | number, label: string, isBad = false) {
  return { value, label, tone: isBad ? "bad" : undefined };
}

export function headline(numbers: readonly ReturnType<typeof headNumber>[], kind = ""): Markup {
  const itemOf = ({ value, label, tone = "" }: (typeof numbers)[number]) =>
    html`<li class="${tone}"><strong>${value}</strong><span>${label}</span></li>\n`;
  return html`<ul class="headline ${kind}" aria-label="Headline numbers">\n${numbers.map(itemOf)}</ul>\n`;
}
