import { expect, test } from "vitest";
import { barChart, columnChart } from "../../src/pages/charts.js";

const chart = {
  ...{ id: "x", title: "Sources <used>", series: [{ tone: "a", label: "one" }, { tone: "b" }] },
  bars: [
    { label: `<script>${"long ".repeat(20)}`, values: [3, 0] },
    { label: "b", values: [6, 0], text: "six" },
  ],
};

test.each([
  ["bars", barChart],
  ["columns", columnChart],
] as const)("%s: text is escaped, nothing makes no bar", (_, draw) => {
  const svg = draw(chart);
  expect(svg).toMatch(/aria-label="Sources &lt;used&gt;: &lt;script&gt;[long ]*: 3; b: six"/);
  expect(svg.match(/<li>/g)).toHaveLength(1);
  expect(svg).not.toContain("<script");
  expect(svg.match(/<rect /g)).toHaveLength(2);
  expect(svg).toContain("…");
  expect(draw({ ...chart, bars: [] })).toContain("Nothing to show.");
});

test("a bar is as long as its value says", () => {
  const widths = [...barChart(chart).matchAll(/ width="([\d.]+)"/g)].map(([, width]) => Number(width));
  expect(widths[1]).toBeCloseTo(2 * (widths[0] ?? 0), 0);
});

test("a label has its room at the left, however long, and short ones leave more to the bars", () => {
  const placed = (label: string) => {
    const svg = barChart({ ...chart, bars: [{ label, values: [1], text: "1,043 · 12 consider" }] });
    const [, end = "", name = ""] = /class="label" x="([\d.]+)".*?>(.*?)<\/text>/.exec(svg) ?? [];
    const [, x = "", width = ""] = /<rect \S+ x="([\d.]+)" y="\S+" width="([\d.]+)"/.exec(svg) ?? [];
    return { end: Number(end), name, x: Number(x), width: Number(width) };
  };
  const long = placed("Watchlists: politically exposed");
  expect(long.name).toBe("Watchlists: politically exposed");
  // A digit of the widest usual sans serif is 0.64 of its size, a letter less on average.
  expect(long.end).toBeGreaterThan(long.name.length * 12.5 * 0.58);
  expect(placed("Tax id").width).toBeGreaterThan(long.width);
});
