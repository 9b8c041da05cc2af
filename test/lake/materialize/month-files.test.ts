import { expect, test } from "vitest";
import { planFiles, takesRows } from "../../../src/lake/materialize/month-files.js";

const MB = 1024 * 1024;
const MAY = 2026 * 12 + 5;

test.each<[string, [month: number, rows: number][], string]>([
  [
    "a month has a file",
    [
      [1, 5_000],
      [2, 5_000],
    ],
    "1:0+1 2:1+1",
  ],
  [
    "neighbours with few rows share one, until they have enough",
    [
      [1, 600],
      [2, 600],
      [3, 600],
    ],
    "1:0+1 2:0+1 3:1+1",
  ],
  [
    "a large month parts small ones, and is split by link",
    [
      [1, 3],
      [2, 1_200_000],
      [3, 3],
    ],
    "1:0+1 2:1+3 3:4+1",
  ],
])("%s", (_, rows, expected) => {
  const planned = planFiles(new Map(rows)).map(({ month, file, parts }) => `${month}:${file}+${parts}`);
  expect(planned.join(" ")).toBe(expected);
});

test("months scattered over centuries make no more than a hundred files", () => {
  const months = new Map(Array.from({ length: 3_000 }, (_, month) => [month, 2_000]));
  expect(planFiles(months).at(-1)?.file).toBeLessThan(100);
});

test.each([
  [
    "of its month, below 24 MB",
    { rows: 5_000, firstDay: "2026-05-01", lastDay: "2026-05-31" },
    23 * MB,
    true,
  ],
  ["of its month, but full", { rows: 5_000, firstDay: "2026-05-01", lastDay: "2026-05-31" }, 24 * MB, false],
  ["of another month", { rows: 5_000, firstDay: "2026-04-01", lastDay: "2026-04-30" }, MB, false],
  ["of another month, but small", { rows: 5, firstDay: "2026-04-01", lastDay: "2026-04-30" }, MB, true],
  ["without bounds, of another tool", { rows: undefined, firstDay: undefined, lastDay: undefined }, MB, true],
])("new rows join a file %s", (_, facts, size, expected) => {
  expect(takesRows({ ...facts, links: undefined }, size, [MAY])).toBe(expected);
});
