import { expect, test } from "vitest";
import { barChart, columnChart } from "../../../../src/jobs/cip/pages/charts.js";

const chart = {
  ...{ id: "x", title: "Sources <used>", words: "a: 3", legend: [{ tone: "a", label: "one" }] },
  bars: [
    {
      label: `<script>${"long ".repeat(20)}`,
      parts: [
        { value: 3, tone: "a" },
        { value: 0, tone: "b" },
      ],
      text: "3",
    },
    { label: "b", parts: [{ value: 6, tone: "a" }], text: "6" },
  ],
};

test.each([
  ["bars", barChart],
  ["columns", columnChart],
] as const)("%s: text is escaped, nothing is no bar", (_, draw) => {
  const svg = draw(chart);
  expect(svg).toContain('aria-label="Sources &lt;used&gt;: a: 3"');
  expect(svg).not.toContain("<script");
  expect(svg.match(/<rect /g)).toHaveLength(2);
  expect(svg).toContain("…");
  expect(draw({ ...chart, bars: [] })).toContain("Nothing to show.");
});

test("a bar is as long as its value says", () => {
  const widths = [...barChart(chart).matchAll(/ width="([\d.]+)"/g)].map(([, width]) => Number(width));
  expect(widths[1]).toBeCloseTo(2 * (widths[0] ?? 0), 0);
});
