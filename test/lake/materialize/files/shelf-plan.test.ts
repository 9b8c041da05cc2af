import { expect, test } from "vitest";
import {
  type FreshMonth,
  filesOfShelf,
  groupsOf,
  planShelves,
} from "../../../../src/lake/materialize/files/shelf-plan.js";
import type { SourceFile } from "../../../../src/lake/materialize/sources.js";

const MB = 1024 * 1024;

interface Given {
  readonly name: string;
  /** First and last month. */
  readonly months: string;
  readonly mb?: number;
  readonly rows?: number;
  readonly touched?: boolean;
}

function sourceFile({ name, months, mb = 1, rows = 10_000 }: Given, id: number): SourceFile {
  const [first, last = first] = months.split(" to ");
  const days = first === "" ? {} : { firstDay: `${first}-03`, lastDay: `${last}-27` };
  const stats = JSON.stringify({ numRecords: rows });
  const add = {
    path: name,
    partitionValues: {},
    size: mb * MB,
    modificationTime: 1,
    dataChange: false,
    stats,
  };
  return { add, id, path: name, rows, links: undefined, firstDay: undefined, lastDay: undefined, ...days };
}

/** A plan in short: files and new months of each shelf. */
function plan(given: readonly Given[], fresh: Readonly<Record<string, number | FreshMonth>>): string[] {
  const files = given.map(sourceFile);
  const touched = new Set(files.filter((_, at) => given[at]?.touched));
  const months = Object.entries(fresh).map(
    ([month, of]) => [month, typeof of === "number" ? { rows: of, pieces: 1 } : of] as const,
  );
  return planShelves(files, touched, new Map(months))
    .map((shelf) =>
      [...shelf.files.map(({ path }) => path).sort(), ...shelf.months.map((m) => `+${m}`)].join(" "),
    )
    .sort();
}

const RULES: {
  rule: string;
  live: Given[];
  fresh?: Record<string, number | FreshMonth>;
  shelves: string[];
}[] = [
  {
    rule: "nothing changed: single files stay as they are",
    live: [
      { name: "a", months: "2026-01" },
      { name: "b", months: "2026-02" },
    ],
    shelves: [],
  },
  {
    rule: "a file that loses rows is written again alone",
    live: [
      { name: "a", months: "2026-01", touched: true },
      { name: "b", months: "2026-02" },
    ],
    shelves: ["a"],
  },
  {
    rule: "new rows join the file of their month, whether it loses rows or not",
    live: [
      { name: "a", months: "2026-01", touched: true },
      { name: "b", months: "2026-02" },
    ],
    fresh: { "2026-01": 5, "2026-02": 5 },
    shelves: ["a +2026-01", "b +2026-02"],
  },
  {
    rule: "a month without a file gets one; a few months with few rows share it",
    live: [{ name: "a", months: "2026-01" }],
    fresh: { "2026-02": 2000, "2026-03": 10, "2026-04": 10, "2026-05": 3000 },
    shelves: ["+2026-02", "+2026-03 +2026-04", "+2026-05"],
  },
  {
    rule: "new rows go into a file whose months hold theirs, the last that begins before",
    live: [
      { name: "a", months: "2025-01 to 2025-12" },
      { name: "b", months: "2025-06 to 2025-08" },
      { name: "c", months: "2026-01" },
    ],
    fresh: { "2025-02": 5, "2025-07": 5, "2026-02": 5 },
    shelves: ["+2026-02", "a +2025-02", "b +2025-07"],
  },
  {
    rule: "a full file is written again only where it loses rows, and takes no new ones",
    live: [
      { name: "full", months: "2026-01", mb: 30, touched: true },
      { name: "other", months: "2026-02", mb: 30 },
    ],
    fresh: { "2026-01": 2000, "2026-02": 2000 },
    shelves: ["+2026-01", "+2026-02", "full"],
  },
  {
    rule: "open files of a month become one, a full one beside them stays",
    live: [
      { name: "full", months: "2026-01", mb: 30 },
      { name: "a", months: "2026-01" },
      { name: "b", months: "2026-01", touched: true },
      { name: "c", months: "2026-01" },
    ],
    shelves: ["a b c"],
  },
  {
    rule: "open files of a month become one on a night that changes nothing there",
    live: [
      { name: "a", months: "2026-01" },
      { name: "b", months: "2026-01" },
      { name: "c", months: "2026-02", touched: true },
    ],
    shelves: ["a b", "c"],
  },
  {
    rule: "files without bounds are left alone until they lose rows",
    live: [
      { name: "a", months: "" },
      { name: "b", months: "" },
      { name: "c", months: "", touched: true },
    ],
    fresh: { "2026-01": 2000 },
    shelves: ["+2026-01", "c"],
  },
  {
    rule: "a load whose batches bring less than a row group of a month cuts by several",
    live: [],
    fresh: Object.fromEntries(
      ["01", "02", "03", "04", "05", "06"].map((month) => [`2026-${month}`, { rows: 8_000, pieces: 8 }]),
    ),
    shelves: ["+2026-01 +2026-02 +2026-03", "+2026-04 +2026-05 +2026-06"],
  },
  {
    rule: "sixteen single files of a few rows, months apart, become one",
    live: Array.from({ length: 16 }, (_, n) => ({ name: `f${n + 10}`, months: `${2000 + n}-01`, rows: 20 })),
    shelves: [Array.from({ length: 16 }, (_, n) => `f${n + 10}`).join(" ")],
  },
];

for (const { rule, live, fresh = {}, shelves } of RULES) {
  test(rule, () => {
    expect(plan(live, fresh)).toEqual(shelves);
  });
}

test("an old lake of many small files is brought together over nights, 64 files a night", () => {
  const live = Array.from({ length: 240 }, (_, n) => ({ name: `f${n}`, months: `2025-0${1 + (n % 3)}` }));
  expect(plan(live, {}).flatMap((shelf) => shelf.split(" "))).toHaveLength(64);
});

test("of files that nothing has changed at most 64 MB are copied a night", () => {
  const live = Array.from({ length: 20 }, (_, n) => ({ name: `f${n}`, months: "2025-01", mb: 20 }));
  expect(plan(live, {}).flatMap((shelf) => shelf.split(" "))).toHaveLength(3);
});

test("new months share files where they are more than a hundred", () => {
  const months = Array.from({ length: 1200 }, (_, n) => [
    `${1900 + Math.floor(n / 12)}-${String((n % 12) + 1).padStart(2, "0")}`,
    2_000,
  ]);
  expect(plan([], Object.fromEntries(months)).length).toBeLessThan(100);
});

test.each([
  [0, 1],
  [31, 1],
  [47, 1],
  [49, 2],
  [320, 10],
])("%d MB become %d files", (mb, files) => {
  expect(filesOfShelf(mb * MB)).toBe(files);
});

test.each([
  { rows: [], runs: [] },
  { rows: [5], runs: [[5]] },
  {
    rows: [5, 5, 5, 5],
    runs: [
      [5, 5],
      [5, 5],
    ],
  },
  { rows: [5, 50, 5], runs: [[5], [50], [5]] },
  { rows: [10, 3, 3, 3, 3, 3], runs: [[10], [3, 3, 3, 3], [3]] },
])("runs of at least ten: $rows", ({ rows, runs }) => {
  expect(
    groupsOf(
      rows.map((n) => ({ rows: n })),
      10,
    ).map((run) => run.map((one) => one.rows)),
  ).toEqual(runs);
});
