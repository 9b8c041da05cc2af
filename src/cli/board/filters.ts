import { html, type Markup } from "../../pages/parts.js";
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

/** A form of filters that shows what was asked for; a report leaves it out. */
export function filterForm(asked: Asked, path: string, filters: readonly Filter[]): Markup {
  const fields = filters.map(({ name, label, choices, type = "date" }) => {
    const value = asked.filter(name) ?? "";
    const option = ([one, text]: readonly [string, string]) =>
      html`<option value="${one}"${one === value && value !== "" ? html` selected` : null}>${text}</option>\n`;
    if (choices === undefined)
      return html`<label>${label}<input type="${type}" name="${name}" value="${value}"></label>\n`;
    const isOther = value !== "" && !choices.some(([one]) => one === value);
    const options = [ANY, ...choices, ...(isOther ? [[value, value] as const] : [])];
    return html`<label>${label}<select name="${name}">${options.map(option)}</select></label>\n`;
  });
  return html`<form class="filters" method="get" action="${path}">
${fields}<button>Show</button> <a href="${path}">Show all</a>\n</form>\n`;
}

const ANY = ["", "any"] as const;
