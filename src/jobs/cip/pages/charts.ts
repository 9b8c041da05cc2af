import { template } from "./template.js";

/** A part of a bar. */
interface Part {
  readonly value: number;
  /** Class of the style sheet: `clear`, `consider`, `a`, `b`, `c`. */
  readonly tone: string;
}

interface Bar {
  readonly label: string;
  readonly parts: readonly Part[];
  /** What stands at its end. */
  readonly text: string;
}

/** What a chart shows; `words` say the same to whoever does not see it. */
interface Chart {
  readonly id: string;
  readonly title: string;
  readonly words: string;
  readonly legend: readonly { readonly tone: string; readonly label: string }[];
  readonly bars: readonly Bar[];
}

const WIDTH = 520;
const LABELS = 178;
const NUMBERS = 112;
const ROW = 24;
const BAR = 14;
const LONGEST_LABEL = 28;

const COLUMN = { height: 130, gap: 6, labels: 40, top: 18 };

const horizontal = template(`<figure class="chart" id="<%= it.id %>">
<figcaption><%= it.title %></figcaption>
<% if (it.bars.length === 0) { %><p class="none">Nothing to show.</p><% } else { %>
<svg viewBox="0 0 ${WIDTH} <%= it.height %>" role="img" aria-label="<%= it.title %>: <%= it.words %>">
<% for (const bar of it.bars) { %>
<text class="label" x="${LABELS - 10}" y="<%= bar.y + 11 %>" text-anchor="end"><%= bar.label %></text>
<% for (const part of bar.parts) { %><rect class="t-<%= part.tone %>" x="<%= part.x %>" y="<%= bar.y %>" width="<%= part.width %>" height="${BAR}"/><% } %>
<text class="number" x="<%= bar.end %>" y="<%= bar.y + 11 %>"><%= bar.text %></text>
<% } %></svg>
<ul class="legend"><% for (const one of it.legend) { %><li><span class="key t-<%= one.tone %>"></span><%= one.label %></li><% } %></ul>
<% } %></figure>
`);

/** Bars that lie, a row each. */
export function barChart(chart: Chart): string {
  const most = Math.max(1, ...chart.bars.map(totalOf));
  const room = WIDTH - LABELS - NUMBERS;
  const bars = chart.bars.map((bar, index) => {
    let x = LABELS;
    const parts = bar.parts
      .filter(({ value }) => value > 0)
      .map(({ value, tone }) => {
        const width = (value / most) * room;
        const part = { tone, x: x.toFixed(1), width: width.toFixed(1) };
        x += width;
        return part;
      });
    return {
      label: shortened(bar.label),
      text: bar.text,
      y: index * ROW + 4,
      parts,
      end: (x + 8).toFixed(1),
    };
  });
  return horizontal({ ...chart, bars, height: bars.length * ROW + 6 });
}

const vertical = template(`<figure class="chart" id="<%= it.id %>">
<figcaption><%= it.title %></figcaption>
<% if (it.bars.length === 0) { %><p class="none">Nothing to show.</p><% } else { %>
<svg viewBox="0 0 ${WIDTH} ${COLUMN.height + COLUMN.labels + COLUMN.top}" role="img" aria-label="<%= it.title %>: <%= it.words %>">
<line class="axis" x1="0" x2="${WIDTH}" y1="${COLUMN.height + COLUMN.top}" y2="${COLUMN.height + COLUMN.top}"/>
<% for (const bar of it.bars) { %>
<% for (const part of bar.parts) { %><rect class="t-<%= part.tone %>" x="<%= bar.x %>" y="<%= part.y %>" width="<%= bar.width %>" height="<%= part.height %>"/><% } %>
<text class="number" x="<%= bar.middle %>" y="<%= bar.top %>" text-anchor="middle"><%= bar.text %></text>
<text class="label" x="<%= bar.middle %>" y="${COLUMN.height + COLUMN.top + 18}" text-anchor="middle"><%= bar.label %></text>
<% } %></svg>
<ul class="legend"><% for (const one of it.legend) { %><li><span class="key t-<%= one.tone %>"></span><%= one.label %></li><% } %></ul>
<% } %></figure>
`);

/** Columns that stand, in the order of time. */
export function columnChart(chart: Chart): string {
  const most = Math.max(1, ...chart.bars.map(totalOf));
  const step = WIDTH / Math.max(chart.bars.length, 8);
  const bars = chart.bars.map((bar, index) => {
    let y = COLUMN.height + COLUMN.top;
    const parts = bar.parts
      .filter(({ value }) => value > 0)
      .map(({ value, tone }) => {
        const height = (value / most) * COLUMN.height;
        y -= height;
        return { tone, y: y.toFixed(1), height: height.toFixed(1) };
      });
    const x = index * step + COLUMN.gap / 2;
    const width = Math.min(step - COLUMN.gap, 48);
    return {
      ...{ label: shortened(bar.label), text: bar.text, parts, x: x.toFixed(1), width: width.toFixed(1) },
      ...{ middle: (x + width / 2).toFixed(1), top: (y - 5).toFixed(1) },
    };
  });
  return vertical({ ...chart, bars });
}

function totalOf({ parts }: Bar): number {
  return parts.reduce((sum, { value }) => sum + value, 0);
}

function shortened(label: string): string {
  return label.length <= LONGEST_LABEL ? label : `${label.slice(0, LONGEST_LABEL - 1)}…`;
}
