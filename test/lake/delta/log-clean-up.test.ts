import { expect, test } from "vitest";
import { expiredFiles } from "../../../src/lake/delta/log-clean-up.js";
import { listingOf } from "../../../src/lake/delta/log-listing.js";
import type { ObjectEntry } from "../../../src/lake/store/object-store.js";
import { checkpointEntry, commitEntry } from "../../helpers/lake/log/log-entries.js";

/** Without the commits that stay for being few, which no table test would ever pass. */
const KEEP = { days: 3, mostVersions: 100, mostBytes: 50_000, fewVersions: 0, fewBytes: 0 };

const expired = (entries: readonly ObjectEntry[], keep: Partial<typeof KEEP> = {}) =>
  expiredFiles(listingOf(entries), { ...KEEP, ...keep }).map((key) => key.replace(/^.*\/0*(?=\d)/, ""));

/** Commits from version 0 on, each of one of these days. */
const commits = (...days: number[]) => days.map((day, version) => commitEntry(version, day));
const checkpoints = (...versions: number[]) => versions.map((version) => checkpointEntry(version));

test("nothing goes before there are two checkpoints", () => {
  expect(expired(commits(1, 2, 3, 4, 5, 6))).toEqual([]);
  expect(expired([...commits(1, 2, 3, 4, 5, 6), ...checkpoints(5)])).toEqual([]);
});

test("what lies before the older one of two checkpoints goes, the oldest first, but not the newest days", () => {
  const log = [...commits(1, 2, 3, 4, 5, 6, 7), ...checkpoints(1, 2, 5, 6)];
  expect(expired(log)).toEqual([
    "0.json",
    "1.json",
    "1.checkpoint.parquet",
    "2.json",
    "2.checkpoint.parquet",
    "3.json",
  ]);
  expect(expired(log, { days: 5 })).toEqual([
    "0.json",
    "1.json",
    "1.checkpoint.parquet",
    "2.checkpoint.parquet",
  ]);
});

test("every commit after the older checkpoint stays, however old and large", () => {
  const log = [...commits(1, 2, 3, 4, 5, 6, 7), ...checkpoints(2, 6)];
  expect(expired(log, { mostBytes: 0, mostVersions: 0 })).toEqual(["0.json", "1.json"]);
});

test.each([
  ["a month ahead", [1, 1, 2, 2, 3, 3, 33], 2],
  ["a month ahead, and back", [1, 1, 2, 33, 3, 3, 3], 2],
  ["a month ahead for many days, and back", [1, 2, 31, 32, 33, 4, 5, 6], 2],
  ["a month back", [41, 41, 42, 43, 43, 12, 12], 0],
])("a clock that jumps %s costs no more than its day", (_, days, first) => {
  const log = [...commits(...days), ...checkpoints(days.length - 2, days.length - 1)];
  const gone = expired(log).filter((name) => name.endsWith(".json"));
  expect(gone).toEqual(Array.from({ length: first }, (_, version) => `${version}.json`));
});

test("the newest days stay within bounds only, which grow with the table", () => {
  const log = [...commits(...Array.from({ length: 60 }, () => 1)), ...checkpoints(58, 59)];
  expect(expired(log)).toHaveLength(10);
  expect(expired(log, { mostVersions: 20 })).toHaveLength(40);
  const larger = [...log, checkpointEntry(60, { size: 14_000 })];
  expect(expired(larger)).toContain("3.json");
  expect(expired(larger)).not.toContain("4.json");
});

test("a few new commits stay however old they are", () => {
  const log = [...commits(...Array.from({ length: 60 }, (_, day) => day)), ...checkpoints(58, 59)];
  expect(expired(log, { fewVersions: 40, fewBytes: 1e6 })).toHaveLength(20);
  expect(expired(log, { fewVersions: 40, fewBytes: 30_000 })).toHaveLength(30);
});

test("commits before a gap, as a power cut leaves them, go, and so do parts of an old checkpoint", () => {
  const log = [commitEntry(1, 9), ...commits(1, 1, 1, 9, 9, 9, 9).slice(3), ...checkpoints(5, 6)];
  const part = checkpointEntry(2, { part: ".0000000001.0000000002" });
  expect(expired([part, ...log])).toEqual(["1.json", "2.checkpoint.0000000001.0000000002.parquet"]);
});

test("a listing that misses a commit which is written meanwhile deletes no more for it", () => {
  const log = [
    ...commits(1, 1, 1, 1, 1, 1, 1, 1).filter((_, version) => version !== 6),
    ...checkpoints(3, 5),
  ];
  expect(expired(log)).toEqual([]);
});

test("a log of an older release, with a checkpoint after each tenth version, keeps two of them", () => {
  const days = Array.from({ length: 2_000 }, (_, version) => Math.floor(version / 20));
  const all = Array.from({ length: 200 }, (_, at) => at * 10);
  const gone = expiredFiles(listingOf([...commits(...days), ...checkpoints(...all)]));
  expect(gone.filter((key) => key.includes("checkpoint"))).toHaveLength(198);
  expect(gone.filter((key) => key.endsWith(".json"))).toHaveLength(1_500);
});
