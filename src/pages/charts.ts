import { template } from "./template.js";

/** A chart of bars; each bar has a part for each series. */
interface Chart {
  readonly id: string;
  readonly title: string;
  /** `tone` is a class of the style sheet: `clear`, `consider`, `a`, `b`, `c`. The legend names series with a label. */
  readonly series: readonly { readonly tone: string; readonly label?: string }[];
  readonly bars: readonly Bar[];
}

interface Bar {
  readonly label: string;
  /** By series. */
  readonly values: readonly number[];
  /** What is written at its end; the sum of its values where left out. */
  readonly text?: string;
}

const WIDTH = 520;
const LONGEST_LABEL = 32;
/** Room for a character of a label in the widest of the fonts that the style sheet names. */
const CHARACTER = 7.5;
const ROW = { gap: 10, step: 24, thickness: 14, shortest: 120 };
const COLUMN = { height: 130, gap: 6, labels: 40, top: 18, fewest: 8, widest: 48 };

const LINE = { height: 110, top: 8, left: 4, labels: 30, amounts: 120 };

/** A value that stays until its next point. Where it is drawn, SQL has computed: amounts are exact text here. */
interface LineChart {
  readonly id: string;
  readonly title: string;
  /** Of the time and of the values; values of one size only have one of the two. */
  readonly from: string;
  readonly to: string;
  readonly high: string;
  readonly low?: string;
  /** In the order of time, as shares of the chart's width and height, from its lower left. */
  readonly points: readonly { readonly x: number; readonly y: number; readonly title: string }[];
}

const lineFigure = template(`<figure class="chart" id="<%= it.id %>">
<figcaption><%= it.title %></figcaption>
<svg viewBox="0 0 ${WIDTH} ${LINE.height + LINE.top + LINE.labels}" role="img" aria-label="<%= it.title %>: <%= it.words %>">
<line class="axis" x1="0" x2="${WIDTH - LINE.amounts}" y1="<%= it.bottom %>" y2="<%= it.bottom %>"/>
<path class="line" d="<%= it.line %>"/>
<% for (const point of it.points) { %><circle class="t-a" cx="<%= point.x %>" cy="<%= point.y %>" r="3"><title><%= point.title %></title></circle>
<% } %><text class="number" x="${WIDTH - LINE.amounts + 8}" y="${LINE.top + 6}"><%= it.high %></text>
<text class="number" x="${WIDTH - LINE.amounts + 8}" y="<%= it.bottom %>"><%= it.low %></text>
<text class="label" x="0" y="<%= it.bottom + 18 %>"><%= it.from %></text>
<text class="label" x="${WIDTH - LINE.amounts}" y="<%= it.bottom + 18 %>" text-anchor="end"><%= it.to %></text>
</svg></figure>
`);

const figure = template(`<figure class="chart" id="<%= it.id %>">
<figcaption><%= it.title %></figcaption>
<% if (it.bars.length === 0) { %><p class="none">Nothing to show.</p><% } else { %>
<svg viewBox="0 0 ${WIDTH} <%= it.height %>" role="img" aria-label="<%= it.title %>: <%= it.words %>">
<% if (it.axis) { %><line class="axis" x1="0" x2="${WIDTH}" y1="<%= it.axis %>" y2="<%= it.axis %>"/><% } %>
<% for (const bar of it.bars) { %>
<% for (const part of bar.parts) { %><rect class="t-<%= part.tone %>" x="<%= part.x %>" y="<%= part.y %>" width="<%= part.width %>" height="<%= part.height %>"/><% } %>
<text class="label" x="<%= bar.label.x %>" y="<%= bar.label.y %>" text-anchor="<%= bar.label.anchor %>"><%= bar.name %></text>
<text class="number" x="<%= bar.number.x %>" y="<%= bar.number.y %>" text-anchor="<%= bar.number.anchor %>"><%= bar.text %></text>
<% } %></svg>
<ul class="legend"><% for (const one of it.series) { if (one.label) { %><li><span class="key t-<%= one.tone %>"></span><%= one.label %></li><% } } %></ul>
<% } %></figure>
`);

/** Lying bars, one per row. */
export function barChart(chart: Chart): string {
  const { bars } = chart;
  const widest = (texts: readonly string[]) => CHARACTER * Math.max(...texts.map(({ length }) => length));
  const labels = widest(bars.map(({ label }) => shortened(label))) + ROW.gap;
  const room = Math.max(ROW.shortest, WIDTH - labels - widest(bars.map(textOf)) - ROW.gap);
  return drawn(chart, { height: bars.length * ROW.step + 6 }, (lengths, index) => {
    const top = index * ROW.step + 4;
    const [y, height, textY] = [String(top), String(ROW.thickness), String(top + 11)];
    let x = labels;
    const parts = lengths.map(({ tone, share }) => {
      const part = { tone, x: x.toFixed(1), y, width: (share * room).toFixed(1), height };
      x += share * room;
      return part;
    });
    return {
      parts,
      label: { x: (labels - ROW.gap).toFixed(1), y: textY, anchor: "end" },
      number: { x: (x + 8).toFixed(1), y: textY, anchor: "start" },
    };
  });
}

/** Upright columns, in the order of time. */
export function columnChart(chart: Chart): string {
  const axis = COLUMN.height + COLUMN.top;
  const step = WIDTH / Math.max(chart.bars.length, COLUMN.fewest);
  const wide = Math.min(step - COLUMN.gap, COLUMN.widest);
  return drawn(chart, { height: axis + COLUMN.labels, axis }, (lengths, index) => {
    const left = index * step + COLUMN.gap / 2;
    const [x, width, middle] = [left.toFixed(1), wide.toFixed(1), (left + wide / 2).toFixed(1)];
    let y = axis;
    const parts = lengths.map(({ tone, share }) => {
      y -= share * COLUMN.height;
      return { tone, x, y: y.toFixed(1), width, height: (share * COLUMN.height).toFixed(1) };
    });
    return {
      parts,
      label: { x: middle, y: String(axis + 18), anchor: "middle" },
      number: { x: middle, y: (y - 5).toFixed(1), anchor: "middle" },
    };
  });
}

/** A line of steps, in the order of time; the amounts of its ends stand at the right. */
export function lineChart({ points, ...chart }: LineChart): string {
  const { from, to, high, low } = chart;
  const [bottom, width] = [LINE.top + LINE.height, WIDTH - LINE.amounts];
  const placed = points.map(({ x, y, title }) => ({
    ...{ title, x: (LINE.left + x * (width - LINE.left)).toFixed(1) },
    y: (bottom - y * LINE.height).toFixed(1),
  }));
  const steps = placed.map(({ x, y }, at) => (at === 0 ? `M${x} ${y}` : `H${x}V${y}`));
  const words = `from ${from} to ${to}, ${low === undefined ? high : `between ${low} and ${high}`}`;
  return lineFigure({ ...chart, bottom, words, points: placed, line: `${steps.join("")}H${width}` });
}

/** Draws a chart; `place` gets the parts of a bar that show, as shares of the longest bar, and places its texts. */
function drawn(
  { bars, series, ...chart }: Chart,
  size: { readonly height: number; readonly axis?: number },
  place: (lengths: readonly { readonly tone: string; readonly share: number }[], index: number) => object,
): string {
  const longest = Math.max(1, ...bars.map(sumOf));
  const texts = bars.map((bar) => ({ label: bar.label, text: textOf(bar) }));
  const placed = bars.map(({ label, values }, index) => {
    const lengths = series.map(({ tone }, at) => ({ tone, share: (values[at] ?? 0) / longest }));
    const shown = lengths.filter(({ share }) => share > 0);
    return { ...place(shown, index), name: shortened(label), text: texts[index]?.text };
  });
  const words = texts.map(({ label, text }) => `${label}: ${text}`).join("; ");
  return figure({ ...chart, ...size, series, words, bars: placed });
}

function sumOf({ values }: Bar): number {
  return values.reduce((sum, value) => sum + value, 0);
}

function textOf(bar: Bar): string {
  return bar.text ?? String(sumOf(bar));
}

function shortened(label: string): string {
  return label.length <= LONGEST_LABEL ? label : `${label.slice(0, LONGEST_LABEL - 1)}…`;
}
