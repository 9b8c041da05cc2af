import { createHash } from "node:crypto";
import { beforeEach, expect, test } from "vitest";
import { type FrozenBulkRow, frozenLine } from "../../../src/domain/bulk/bulk-job.js";
import { StagingLostError } from "../../../src/domain/failures.js";
import { BulkStaging, type BytesOf, type FrozenFile } from "../../../src/lake/bulk/bulk-staging.js";
import { eachTest } from "../../helpers/each-test.js";
import { openTestLake } from "../../helpers/lake/delta-lake.js";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const CONTENTS = ["first file", "second file"];
const ROWS: readonly FrozenBulkRow[] = CONTENTS.map((text, at) => ({
  line: at + 2,
  row: { fp_id: `fp_${at}`, file: `${at}.txt` },
  problems: [],
  files: { file: { bytes: text.length, sha256: sha256(text), contentType: "text/plain" } },
}));
const FILE: Omit<FrozenFile, "groups"> = {
  ...{
    kind: "k",
    options: {},
    rows: 2,
    invalid: 0,
    sha256: sha256(ROWS.map(frozenLine).join("")),
    origin: "r",
  },
  asker: { operator: "ada", host: "here", service: "https://x", mode: "test", keyFingerprint: "0" },
  ...{ secrets: {}, retryOf: null },
};

const lake = eachTest(openTestLake);
let staging: BulkStaging;
beforeEach(async () => {
  staging = new BulkStaging(lake.sealed, "job");
});

let opened: number[] = [];
const bytes: BytesOf = async function* ({ line }: FrozenBulkRow) {
  opened.push(line);
  yield Buffer.from(CONTENTS[line - 2] ?? "");
};
const text = async (line: number, from = staging) => {
  const parts: Uint8Array[] = [];
  for await (const part of (await from.bytes(line, "file")).open()) parts.push(part);
  return Buffer.concat(parts).toString();
};

test("files are frozen with their rows, and once", async () => {
  opened = [];
  await staging.freeze(FILE, ROWS, 500, bytes);
  await staging.freeze(FILE, ROWS, 500, bytes);
  expect(opened).toEqual([2, 3]);
  expect([await text(2), await text(3)]).toEqual(CONTENTS);
});

test("a file that is lost from the frozen copy is copied again", async () => {
  await staging.freeze(FILE, ROWS, 500, bytes);
  const files = await lake.sealed.list("_staging/job/files/");
  for (const { key } of files) if (key.startsWith("_staging/job/files/3-")) await lake.sealed.delete(key);
  await expect(text(3)).rejects.toThrow(StagingLostError);
  opened = [];
  await staging.freeze(FILE, ROWS, 500, bytes);
  expect(opened).toEqual([3]);
  expect(await text(3)).toBe("second file");
});

test("a file that changed since its row was judged freezes nothing", async () => {
  const changed: BytesOf = async function* () {
    yield Buffer.from("other bytes");
  };
  await expect(staging.freeze(FILE, ROWS, 500, changed)).rejects.toThrow(
    /line 2, column file, changed.*Nothing was started/,
  );
  expect(await staging.file.find()).toBeUndefined();
});

test("the frozen files of one job can be frozen for another", async () => {
  const frozen = await staging.freeze(FILE, ROWS, 500, bytes);
  const retry = new BulkStaging(lake.sealed, "retry");
  await retry.freeze(FILE, staging.everyRow(frozen), 500, staging.bytesOf);
  await staging.drop();
  expect(await text(3, retry)).toBe("second file");
});

const MB = 1024 * 1024;
const longRows = (...sizes: readonly number[]): FrozenBulkRow[] =>
  sizes.map((size, at) => ({ line: at + 2, row: { value: "x".repeat(size) }, problems: [] }));
const fileOf = (rows: readonly FrozenBulkRow[]) => ({
  ...FILE,
  rows: rows.length,
  sha256: sha256(rows.map(frozenLine).join("")),
});
const linesOf = (rows: readonly FrozenBulkRow[]) => rows.map(({ line }) => line);

test.for<[string, number[], number[][]]>([
  ["few rows make one group", [1, 1, 1], [[2, 3, 4]]],
  [
    "a group has no more rows than it may",
    [1, 1, 1, 1, 1],
    [
      [2, 3, 4],
      [5, 6],
    ],
  ],
  ["a group ends before the row that would make it too long", [3 * MB, 4 * MB, 2 * MB], [[2, 3], [4]]],
  ["a row that is too long for a group is alone", [1, 9 * MB, 1, 1], [[2], [3], [4, 5]]],
])("%s", async ([, sizes, groups]) => {
  const rows = longRows(...sizes);
  const frozen = await staging.freeze(fileOf(rows), rows, 3);
  expect(frozen.groups.total).toBe(groups.length);
  const read = groups.map((_, group) => staging.rowsOf(group).then(linesOf));
  expect(await Promise.all(read)).toEqual(groups);
  const all: FrozenBulkRow[] = [];
  for await (const row of staging.everyRow(frozen)) all.push(row);
  expect(all).toEqual(rows);
});

test("rows that are lost are frozen again in the groups that they had", async () => {
  const rows = longRows(1, 1, 1, 1);
  await staging.freeze(fileOf(rows), rows, 3);
  await lake.sealed.delete("_staging/job/groups/1");
  expect(await staging.freeze(fileOf(rows), rows, 500)).toMatchObject({ groups: { count: 3, total: 2 } });
  expect(linesOf(await new BulkStaging(lake.sealed, "job").rowsOf(1))).toEqual([5]);
});
