import { expect, test } from "vitest";
import { DAY } from "../../../src/domain/duration.js";
import type { AddFile, DeltaAction } from "../../../src/lake/delta/delta-actions.js";
import { advance, NO_TABLE } from "../../../src/lake/delta/delta-snapshot.js";
import { judgeFiles, oldBefore } from "../../../src/lake/maintain/table-upkeep.js";

const NOW = Date.UTC(2026, 10, 26, 3);
const BEFORE = NOW - 7 * DAY;
const add = (path: string, modificationTime = NOW): DeltaAction => ({
  add: { path, partitionValues: {}, size: 1, modificationTime, dataChange: true } satisfies AddFile,
});
const remove = (path: string, at?: number): DeltaAction => ({
  remove: { path, dataChange: false, ...(at !== undefined && { deletionTimestamp: at }) },
});
const state = (...actions: DeltaAction[]) => advance(NO_TABLE, [{ version: 0, actions }]);

const [YOUNG, OLD] = [NOW - DAY, NOW - 8 * DAY];

test.for<
  [what: string, key: string, written: number, actions: DeltaAction[], recent: DeltaAction[], verdict: string]
>([
  ["live and old", "t/a.parquet", OLD, [add("a.parquet")], [], "live"],
  ["live, whatever its name", "t/part=1/_a.bin", OLD, [add("part%3D1/_a.bin")], [], "live"],
  ["removed within the retention", "t/a.parquet", OLD, [remove("a.parquet", YOUNG)], [], "kept"],
  ["removed at its very beginning", "t/a.parquet", OLD, [remove("a.parquet", BEFORE)], [], "kept"],
  ["removed before", "t/a.parquet", OLD, [remove("a.parquet", BEFORE - 1)], [], "unneeded"],
  ["removed at a time that nobody wrote down", "t/a.parquet", OLD, [remove("a.parquet")], [], "kept"],
  [
    "removed by a commit that a checkpoint has forgotten",
    "t/a.parquet",
    OLD,
    [],
    [remove("a.parquet", OLD)],
    "kept",
  ],
  ["never added, and young", "t/a.parquet", YOUNG, [], [], "kept"],
  ["never added, written at the very beginning", "t/a.parquet", BEFORE, [], [], "kept"],
  ["never added, and old", "t/a.parquet", BEFORE - 1, [], [], "unneeded"],
  ["in a copy of the table", "t/backup/a.parquet", OLD, [], [], "unknown"],
  ["another tool's directory", "t/_change_data/a.parquet", OLD, [], [], "unknown"],
  ["another tool's deletion vector", "t/a.bin", OLD, [], [], "unknown"],
  ["a hidden file", "t/.a.parquet", OLD, [], [], "unknown"],
])("a data file that is %s", ([, key, written, actions, recent, verdict]) => {
  const entry = { key, size: 1, modifiedAt: new Date(written) };
  const commits = [{ version: 1, actions: recent }];
  const keyOf = (path: string) => `t/${decodeURIComponent(path)}`;
  const judged = judgeFiles([entry], state(...actions), commits, BEFORE, keyOf);
  const found = Object.entries(judged).flatMap(([name, entries]) => (entries.length > 0 ? [name] : []));
  expect(found).toEqual([verdict]);
});

const nights = (...days: number[]) => [state(...days.map((day) => add(`${day}`, NOW - day * DAY)))];

test("things are old after so many days on which the lake was written, and as many by the clock", () => {
  const daily = nights(0, 1, 2, 3, 4, 5, 6, 7, 8, 9);
  expect(oldBefore(daily, 7, NOW)).toBe(Date.UTC(2026, 10, 19));
  expect(oldBefore(nights(0, 1, 2, 3, 4, 5, 6), 7, NOW)).toBe(Number.NEGATIVE_INFINITY);
  // Two machines were off for a month: what they had under way is of the last days that count.
  expect(oldBefore(nights(0, 30, 31, 32, 33, 34, 35, 36, 37), 7, NOW)).toBe(NOW - 36 * DAY - 3 * 3_600_000);
  // Every table counts, and what a table says of its removals and transactions.
  const others = [
    state(remove("x", NOW - 36 * DAY), { txn: { appId: "r", version: 0, lastUpdated: NOW - 37 * DAY } }),
  ];
  expect(oldBefore([...nights(0, 30, 31, 32, 33, 34), ...others], 7, NOW)).toBe(
    NOW - 37 * DAY - 3 * 3_600_000,
  );
});

test("a clock that jumps ahead makes nothing old", () => {
  const before = oldBefore(nights(0, 1, 2, 3, 4, 5, 6, 7), 7, NOW + 40 * DAY);
  expect(before).toBe(Date.UTC(2026, 10, 19));
});
