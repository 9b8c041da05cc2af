import { type Content, html, type Markup, paragraph } from "./parts.js";

/** Each bar has a part for each series. */
interface Chart {
  readonly id: string;
  readonly title: string;
  /** `tone`: a class of the style sheet. The legend names series with a label. */
  readonly series: readonly { readonly tone: string; readonly label?: string }[];
  readonly bars: readonly Bar[];
}

interface Bar {
  readonly label: string;
  /** By series. */
  readonly values: readonly number[];
  /** Behind the bar; default: the sum of its values. */
  readonly text?: string;
}

const WIDTH = 520;
const LONGEST_LABEL = 32;
/** Width of a character in the widest font. */
const CHARACTER = 7.5;
const ROW = { gap: 10, step: 24, thickness: 14, shortest: 120 };
const COLUMN = { height: 130, gap: 6, labels: 40, top: 18, fewest: 8, widest: 48 };

function figure({ id, title }: Pick<Chart, "id" | "title">, drawing: Markup): string {
  return html`<figure class="chart" id="${id}">
<figcaption>${title}</figcaption>
${drawing}</figure>
`.html;
}

function svg(
  { title }: Pick<Chart, "title">,
  height: number,
  words: string,
  shapes: readonly Content[],
): Markup {
  return html`<svg viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${title}: ${words}">
${shapes}</svg>
`;
}

function axisAt(y: number, width: number): Markup {
  return html`<line class="axis" x1="0" x2="${width}" y1="${y}" y2="${y}"/>\n`;
}

/** @param kind `label` or `number` */
function written(kind: string, [x, y]: readonly [number, number], words: string, anchor = "start"): Markup {
  return html`<text class="${kind}" x="${short(x)}" y="${short(y)}" text-anchor="${anchor}">${words}</text>\n`;
}

function rect(tone: string, [x, y]: readonly [number, number], width: number, height: number): Markup {
  return html`<rect class="t-${tone}" x="${short(x)}" y="${short(y)}" width="${short(width)}" height="${short(height)}"/>\n`;
}

const short = (length: number) => Number(length.toFixed(1));

/** A horizontal bar a row. */
export function barChart(chart: Chart): string {
  const { bars } = chart;
  const widest = (texts: readonly string[]) => CHARACTER * Math.max(...texts.map(({ length }) => length));
  const labels = widest(bars.map(({ label }) => shortened(label))) + ROW.gap;
  const room = Math.max(ROW.shortest, WIDTH - labels - widest(bars.map(textOf)) - ROW.gap);
  return drawn(chart, { height: bars.length * ROW.step + 6 }, (lengths, index, { name, text }) => {
    const top = index * ROW.step + 4;
    let x = labels;
    const parts = lengths.map(({ tone, share }) => {
      const part = rect(tone, [x, top], share * room, ROW.thickness);
      x += share * room;
      return part;
    });
    const label = written("label", [labels - ROW.gap, top + 11], name, "end");
    return [...parts, label, written("number", [x + 8, top + 11], text)];
  });
}

/** A column for each point in time. */
export function columnChart(chart: Chart): string {
  const axis = COLUMN.height + COLUMN.top;
  const step = WIDTH / Math.max(chart.bars.length, COLUMN.fewest);
  const wide = Math.min(step - COLUMN.gap, COLUMN.widest);
  return drawn(chart, { height: axis + COLUMN.labels, axis }, (lengths, index, { name, text }) => {
    const left = index * step + COLUMN.gap / 2;
    const middle = left + wide / 2;
    let y = axis;
    const parts = lengths.map(({ tone, share }) => {
      y -= share * COLUMN.height;
      return rect(tone, [left, y], wide, share * COLUMN.height);
    });
    const label = written("label", [middle, axis + 18], name, "middle");
    return [...parts, label, written("number", [middle, y - 5], text, "middle")];
  });
}

/** Draws a chart; `place` gets the parts of a bar as shares of the longest bar. */
function drawn(
  chart: Chart,
  { height, axis }: { readonly height: number; readonly axis?: number },
  place: (
    lengths: readonly { readonly tone: string; readonly share: number }[],
    index: number,
    texts: { readonly name: string; readonly text: string },
  ) => readonly Content[],
): string {
  const { bars, series } = chart;
  if (bars.length === 0) return figure(chart, paragraph("Nothing to show.", "none"));
  const longest = Math.max(1, ...bars.map(sumOf));
  const shapes = bars.flatMap((bar, index) => {
    const lengths = series.map(({ tone }, at) => ({ tone, share: (bar.values[at] ?? 0) / longest }));
    const shown = lengths.filter(({ share }) => share > 0);
    return place(shown, index, { name: shortened(bar.label), text: textOf(bar) });
  });
  const words = bars.map((bar) => `${bar.label}: ${textOf(bar)}`).join("; ");
  const named = series.filter(({ label }) => label);
  const keys = named.map(
    ({ tone, label = "" }) => html`<li><span class="key t-${tone}"></span>${label}</li>`,
  );
  const lines = axis === undefined ? [] : [axisAt(axis, WIDTH)];
  const drawing = svg(chart, height, words, [...lines, ...shapes]);
  return figure(chart, html`${drawing}<ul class="legend">${keys}</ul>\n`);
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
