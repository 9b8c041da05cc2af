import { html, type Markup } from "../../pages/parts.js";
import type { Asked } from "./page.js";

/** Narrows a list by a choice, a text, or a day. */
interface Filter {
  readonly name: string;
  readonly label: string;
  readonly choices?: readonly (readonly [value: string, text: string])[];
  /** Default: a day. */
  readonly type?: "search";
}

/** Left out of a report. */
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
