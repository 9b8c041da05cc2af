import { expect, test } from "vitest";
import { DAY } from "../../../src/domain/duration.js";
import type { AddFile, DeltaAction } from "../../../src/lake/delta/delta-actions.js";
import { advance, NO_TABLE } from "../../../src/lake/delta/delta-snapshot.js";
import { judgeFiles } from "../../../src/lake/maintain/table-upkeep.js";

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
