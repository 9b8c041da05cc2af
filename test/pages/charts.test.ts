import { expect, test } from "vitest";
import { barChart, columnChart, lineChart } from "../../src/pages/charts.js";

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

test("a line keeps each value until the next one, and says its ends; text is escaped", () => {
  const points = [
    { x: 0, y: 1, title: "<b>" },
    { x: 1, y: 0, title: "last" },
  ];
  const svg = lineChart({
    id: "x",
    title: "Balance <a>",
    from: "May",
    to: "now",
    high: "9.50",
    low: "-1",
    points,
  });
  expect(svg).toContain('aria-label="Balance &lt;a&gt;: from May to now, between -1 and 9.50"');
  expect(svg).toContain("<title>&lt;b&gt;</title>");
  const [, x = "", top = "", end = "", bottom = ""] =
    /d="M([\d.]+) ([\d.]+)H([\d.]+)V([\d.]+)H/.exec(svg) ?? [];
  expect([Number(x) < Number(end), Number(top) < Number(bottom)]).toEqual([true, true]);
});
