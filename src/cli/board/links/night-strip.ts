import type { Markup } from "../../../pages/parts.js";
import { template } from "../../../pages/template.js";

/** What became of a link in a night. */
export type NightState = "news" | "unchanged" | "skipped" | "failed" | "none";

/** A night as one cell shows it. */
interface NightCell {
  readonly state: NightState;
  /** The day, and what happened on it. */
  readonly words: string;
}

/** Each state has a colour, and a shape of its own: a tall bar, a low one, a diamond, a cross, a point. */
const STATES: Readonly<
  Record<NightState, { readonly tone: string; readonly name: string; readonly d: string }>
> = {
  news: { tone: "a", name: "committed with news", d: "M0 0h9v16h-9z" },
  unchanged: { tone: "b", name: "unchanged", d: "M0 10h9v6h-9z" },
  skipped: { tone: "c", name: "skipped", d: "M4.5 3l4.5 5-4.5 5-4.5-5z" },
  failed: {
    ...{ tone: "consider", name: "failed" },
    d: "M0 5.5l2-2 2.5 2.5 2.5-2.5 2 2-2.5 2.5 2.5 2.5-2 2-2.5-2.5-2.5 2.5-2-2 2.5-2.5z",
  },
  none: { tone: "none", name: "not run", d: "M3.5 7h2v2h-2z" },
};
const SHAPES = Object.entries(STATES).map(([state, shape]) => ({ state, ...shape }));
const STEP = 10;

const legend = template(`<ul class="legend">
<% for (const one of it.shapes) { %><li><svg class="nights" viewBox="0 0 ${STEP} 16" aria-hidden="true"><path id="night-<%= one.state %>" class="t-<%= one.tone %>" d="<%= one.d %>"/></svg><%= one.name %></li>
<% } %></ul>
`);
const strip =
  template(`<svg class="nights" viewBox="0 0 <%= it.cells.length * ${STEP} %> 16" role="img" aria-label="<%= it.label %>"><% it.cells.forEach((cell, at) => { %>
<use href="#night-<%= cell.state %>" x="<%= at * ${STEP} %>"><title><%= cell.words %></title></use><% }) %></svg>`);

/** Says what the cells mean, and defines their shapes: a page with strips has it once. */
export function nightLegend(): Markup {
  return { html: legend({ shapes: SHAPES }) };
}

/** A cell for each night, the oldest first; its label counts them. */
export function nightStrip(cells: readonly NightCell[]): Markup {
  const counted = SHAPES.flatMap(({ state, name }) => {
    const count = cells.filter((cell) => cell.state === state).length;
    return count === 0 ? [] : [`${count} ${name}`];
  });
  return { html: strip({ cells, label: `${cells.length} nights: ${counted.join(", ")}` }) };
}

/** What a state is called. */
export function nightWords(state: NightState): string {
  return STATES[state].name;
}
