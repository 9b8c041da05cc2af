import { expect, test } from "vitest";
import { groupsByFile, planRowGroups } from "../../../../src/lake/materialize/files/shelf-writer.js";
import type { RowGroup } from "../../../../src/lake/parquet/parquet-footer.js";

const MB = 1024 * 1024;

const group = (path: string, rows: number, mb = 1): RowGroup => ({
  path,
  rows,
  from: 4,
  bytes: mb * MB,
  footer: Buffer.alloc(0),
  bounds: new Map([["link_id", { min: Buffer.from(path), max: Buffer.from(path), nulls: 0 }]]),
});

/** A file in short: the rows of its groups, and how many rows of each are gone. */
type Given = readonly [path: string, rows: readonly number[] | "foreign", gone?: readonly number[]];

const names = (groups: readonly RowGroup[]) => groups.map(({ path, rows }) => `${path}:${rows}`).join(" ");

const plan = (...given: readonly Given[]) => {
  const files = given.map(([path, rows, gone = []]) => ({
    path,
    groups: rows === "foreign" ? undefined : rows.map((count) => group(path, count)),
    gone,
  }));
  const { copied, decoded, foreign } = planRowGroups(files);
  return [names(copied), names(decoded), foreign.join(" ")];
};

test.each<{ rule: string; files: Given[]; copied?: string; decoded?: string; foreign?: string }>([
  { rule: "whole groups are copied", files: [["a", [4096, 4096]]], copied: "a:4096 a:4096" },
  {
    rule: "a group that loses rows is decoded, one that loses all is left out",
    files: [["a", [4096, 4000, 3000], [0, 7, 3000]]],
    copied: "a:4096",
    decoded: "a:4000",
  },
  { rule: "one small group alone is copied", files: [["a", [4096, 12]]], copied: "a:4096 a:12" },
  {
    rule: "small groups are merged",
    files: [
      ["a", [4096, 12]],
      ["b", [2047]],
    ],
    copied: "a:4096",
    decoded: "a:12 b:2047",
  },
  {
    rule: "a small group joins one that loses rows",
    files: [["a", [4096, 12], [1]]],
    decoded: "a:4096 a:12",
  },
  {
    rule: "a group of 2,048 rows is not small",
    files: [
      ["a", [2048]],
      ["b", [2048]],
    ],
    copied: "a:2048 b:2048",
  },
  {
    rule: "a foreign file is decoded, with small groups",
    files: [
      ["a", [4096, 12]],
      ["x", "foreign"],
    ],
    copied: "a:4096",
    decoded: "a:12",
    foreign: "x",
  },
])("$rule", ({ files, copied = "", decoded = "", foreign = "" }) => {
  expect(plan(...files)).toEqual([copied, decoded, foreign]);
});

test("files have about 32 MB, and groups in the order of their first link", () => {
  const split = (...groups: readonly RowGroup[]) => groupsByFile(groups).map(names);
  expect(split(group("b", 1), group("a", 2))).toEqual(["a:2 b:1"]);
  expect(split(group("c", 1, 32), group("a", 2, 32))).toEqual(["a:2", "c:1"]);
  expect(split(group("c", 3, 20), group("b", 2, 20), group("a", 1, 20))).toEqual(["a:1 b:2", "c:3"]);
  expect(split()).toEqual([]);
});
