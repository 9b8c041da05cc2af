import { template } from "./template.js";

/** Markup that a template made; whatever else is put into a page is escaped. */
export interface Markup {
  readonly html: string;
}

/** What stands in a cell or beside a label; null shows nothing. */
export type Content = string | number | null | Markup;

interface Column {
  readonly name: string;
  /** Numbers stand at the right. */
  readonly isCount?: boolean;
}

/** Numbers that head a page; a tone of `bad` asks for attention. */
export interface HeadNumber {
  readonly value: string | number;
  readonly label: string;
  readonly tone?: "bad" | undefined;
}

const escaped = template("<%= it.text %>");
const linkMarkup = template('<a href="<%= it.href %>"><%= it.text %></a>');
const chipMarkup = template('<span class="chip <%= it.tone %>"><%= it.text %></span>');
const codeMarkup = template("<code><%= it.text %></code>");
const shortMarkup = template('<code title="<%= it.text %>"><%= it.short %></code>');
const detailsMarkup = template(
  "<details><summary><%= it.summary %></summary>\n<%~ it.content %></details>\n",
);
const preMarkup = template('<pre tabindex="0"><%= it.text %></pre>\n');
const paragraphMarkup = template('<p class="<%= it.kind %>"><%~ it.content %></p>\n');
const sectionMarkup =
  template(`<section aria-labelledby="<%= it.id %>"><h2 id="<%= it.id %>"><%= it.title %></h2>
<%~ it.content %></section>
`);
const tableMarkup =
  template(`<div class="scroll" tabindex="0" role="region" aria-label="<%= it.label %>"><table><thead><tr>
<% for (const column of it.columns) { %><th scope="col"<% if (column.isCount) { %> class="count"<% } %>><%= column.name %></th><% } %>
</tr></thead><tbody>
<% for (const row of it.rows) { %><tr><% row.forEach((cell, at) => { %><td<% if (it.columns[at].isCount) { %> class="count"<% } %>><%~ cell %></td><% }) %></tr>
<% } %></tbody></table></div>
`);
const factsMarkup = template(`<dl class="facts">
<% for (const [name, content] of it.facts) { %><div><dt><%= name %></dt><dd><%~ content %></dd></div>
<% } %></dl>
`);
const headlineMarkup = template(`<ul class="headline">
<% for (const one of it.numbers) { %><li class="<%= one.tone %>"><strong><%= one.value %></strong><span><%= one.label %></span></li>
<% } %></ul>
`);

function htmlOf(content: Content): string {
  if (content === null) return "";
  return typeof content === "object" ? content.html : escaped({ text: content });
}

export function joined(...contents: readonly Content[]): Markup {
  return { html: contents.map(htmlOf).join("") };
}

/** @param href is checked by nobody: give addresses of our own pages only, with their parts encoded */
export function link(href: string, text: string): Markup {
  return { html: linkMarkup({ href, text }) };
}

export function chip(text: string, tone: "good" | "bad" | "note" | "" = ""): Markup {
  return { html: chipMarkup({ text, tone }) };
}

export function code(text: string): Markup {
  return { html: codeMarkup({ text }) };
}

/** The beginning of a long text, such as a hash; its title has all of it. */
export function shortCode(text: string, length = 12): Markup {
  if (text.length <= length) return code(text);
  return { html: shortMarkup({ text, short: `${text.slice(0, length)}…` }) };
}

/** What opens when its summary is chosen. */
export function details(summary: string, ...contents: readonly Content[]): Markup {
  return { html: detailsMarkup({ summary, content: joined(...contents).html }) };
}

/** Text as a command printed it. */
export function preformatted(text: string): Markup {
  return { html: preMarkup({ text }) };
}

export function paragraph(content: Content, kind = ""): Markup {
  return { html: paragraphMarkup({ content: htmlOf(content), kind }) };
}

export function section(title: string, ...contents: readonly Content[]): Markup {
  const id = title.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
  return { html: sectionMarkup({ id, title, content: joined(...contents).html }) };
}

/** A table that scrolls where it is too wide; without rows it says `none`. */
export function table(
  label: string,
  columns: readonly Column[],
  rows: readonly (readonly Content[])[],
  none = "Nothing to show.",
): Markup {
  if (rows.length === 0) return paragraph(none, "none");
  return { html: tableMarkup({ label, columns, rows: rows.map((row) => row.map(htmlOf)) }) };
}

/** Labels and what they stand for; those without content are left out. */
export function facts(pairs: readonly (readonly [string, Content])[]): Markup {
  const shown = pairs.filter(([, content]) => content !== null && content !== "");
  return { html: factsMarkup({ facts: shown.map(([name, content]) => [name, htmlOf(content)]) }) };
}

export function headline(numbers: readonly HeadNumber[]): Markup {
  return { html: headlineMarkup({ numbers }) };
}
