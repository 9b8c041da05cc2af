import type { Markup } from "../../pages/parts.js";
import { template } from "../../pages/template.js";
import type { Asked } from "./page.js";

/** What a list is narrowed by: one of its choices, a text, or a day. */
interface Filter {
  readonly name: string;
  readonly label: string;
  /** What is sent, and what is read. */
  readonly choices?: readonly (readonly [value: string, text: string])[];
  /** Of what is typed; a day where left out. */
  readonly type?: "search";
}

const form = template(`<form class="filters" method="get" action="<%= it.path %>">
<% for (const one of it.filters) { %><label><%= one.label %><% if (one.choices) { %><select name="<%= one.name %>"><option value="">any</option>
<% for (const [value, text] of one.choices) { %><option value="<%= value %>"<% if (value === one.value) { %> selected<% } %>><%= text %></option>
<% } %></select><% } else { %><input type="<%= one.type %>" name="<%= one.name %>" value="<%= one.value %>"><% } %></label>
<% } %><button>Show</button> <a href="<%= it.path %>">Show all</a>
</form>
`);

/** A form of filters that shows what was asked for; nothing where pages are only read. */
export function filterForm(asked: Asked, path: string, filters: readonly Filter[]): Markup {
  if (asked.form === undefined) return { html: "" };
  const shown = filters.map(({ choices, ...filter }) => {
    const value = asked.filter(filter.name);
    const isOther = choices && value !== undefined && !choices.some(([one]) => one === value);
    const all = isOther ? [...choices, [value, value] as const] : choices;
    return { type: "date", ...filter, value, choices: all };
  });
  return { html: form({ path, filters: shown }) };
}
