import { expect, test } from "vitest";
import {
  checkpointKeys,
  commitKey,
  fileKey,
  filePath,
  versionOfCheckpoint,
  versionOfCommit,
} from "../../../src/lake/delta/delta-path.js";

test("a commit's key sorts as its version does and gives it back", () => {
  expect(commitKey("t", 7)).toBe("t/_delta_log/00000000000000000007.json");
  expect(commitKey("t", 9) < commitKey("t", 10)).toBe(true);
  expect(versionOfCommit(commitKey("t", 123))).toBe(123);
});

test("checkpoints of one and of several parts are told from commits", () => {
  for (const parts of [undefined, 2]) {
    const keys = checkpointKeys("t", 10, parts);
    expect(keys).toHaveLength(parts ?? 1);
    for (const key of keys) {
      expect(versionOfCheckpoint(key)).toEqual({ version: 10, ...(parts && { parts }) });
      expect(versionOfCommit(key)).toBeUndefined();
    }
  }
});

test.each([
  "t/_delta_log/_last_checkpoint",
  "t/_delta_log/00000000000000000007.json.tmp",
  "t/_delta_log/7.json",
])("%s is not a version", (key) => {
  expect(versionOfCommit(key)).toBeUndefined();
  expect(versionOfCheckpoint(key)).toBeUndefined();
});

test("a file's path is encoded in the log and decoded for the store", () => {
  const name = "a b/ü%20#?.parquet";
  expect(filePath(name)).toBe("a%20b/%C3%BC%2520%23%3F.parquet");
  expect(fileKey("t", filePath(name))).toBe(`t/${name}`);
});

test.each(["/etc/passwd", "s3://other/x.parquet", "file:///x"])(
  "%s, outside of its table, is refused",
  (path) => {
    expect(() => fileKey("t", path)).toThrow(/outside of it/);
  },
);
