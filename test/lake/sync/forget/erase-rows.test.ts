import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { APPEND_ONLY, schemaActions, type TableSpec } from "../../../../src/lake/delta/delta-schema.js";
import { openLake } from "../../../../src/lake/lake.js";
import { readTables } from "../../../../src/lake/query/query-views.js";
import { eraseRows } from "../../../../src/lake/sync/forget/erase-rows.js";
import { varchar } from "../../../../src/lake/tables/columns.js";
import { addOf, writeRows } from "../../../../src/lake/tables/parquet-file.js";
import { eachTest } from "../../../helpers/each-test.js";
import { openTestLake } from "../../../helpers/lake/delta-lake.js";

const NOTES = {
  name: "notes",
  about: "Notes of persons",
  columns: [...varchar({ fp_id: "whose", note: "what it says" })],
} as const satisfies TableSpec;
const FEED = { ...NOTES, feed: true } as const satisfies TableSpec;
const ROWS = [
  { fp_id: "fp_x", note: "of x" },
  { fp_id: "fp_y", note: "of y" },
  { fp_id: null, note: "of nobody" },
];
const OF_X = { condition: "fp_id = 'fp_x'", owner: "fp_x" };

const base = eachTest(openTestLake);
const lake = eachTest(() => openLake({ directory: base.directory }));

async function written(spec: TableSpec, rows: readonly Readonly<Record<string, unknown>>[]) {
  const files = await writeRows(lake, spec, "test", rows);
  return files.map((file) => addOf(file));
}

async function append(spec: TableSpec): Promise<void> {
  const added = await written(spec, ROWS);
  await lake
    .table(spec.name)
    .commit((now) => [...schemaActions(spec, now, 0), ...added.map((add) => ({ add }))]);
}

const left = () => readTables(lake, [NOTES], (sql) => sql.rows("select fp_id, note from notes"));

// `not (fp_id = 'fp_x')` is null for a row of nobody, and would take it along.
test.each([
  ["rows", {}, ROWS.slice(1)],
  ["values", { blank: ["note"] }, [{ fp_id: "fp_x", note: null }, ...ROWS.slice(1)]],
])("%s of a person go, and those of nobody stay", async (_, more, expected) => {
  await append(NOTES);
  await eraseRows(lake, { spec: NOTES, ...OF_X, ...more });
  expect(await left()).toEqual(expected);
});

test("a feed that lost rows refuses deletions again", async () => {
  await append(FEED);
  await eraseRows(lake, { spec: FEED, ...OF_X });
  expect(await left()).toEqual(ROWS.slice(1));
  const { metadata } = await lake.table(NOTES.name).snapshot();
  expect(metadata?.configuration).toMatchObject({ [APPEND_ONLY]: "true" });
});

test("of files that no version refers to, those with such rows go, and those that can't be read", async () => {
  await append(NOTES);
  const directory = join(base.directory, NOTES.name);
  await mkdir(directory, { recursive: true });
  const [ofX, ofY] = [await written(NOTES, ROWS.slice(0, 1)), await written(NOTES, ROWS.slice(1))];
  const damaged = `test-${"0".repeat(8)}-0000-4000-8000-${"0".repeat(12)}.parquet`;
  await writeFile(join(directory, damaged), "PAR1 and no more");
  await eraseRows(lake, { spec: NOTES, ...OF_X });
  const names = await readdir(directory, { recursive: true });
  const isThere = (path: string | undefined) => names.some((name) => path?.endsWith(name) ?? false);
  expect([ofX, ofY].map(([add]) => isThere(add?.path))).toEqual([false, true]);
  expect(isThere(damaged)).toBe(false);
});

// Each commit of a busy sync had the feed's files written again, without end.
test("beside a writer who is always faster, rows that were there go once, and those that came go too", async () => {
  await append(FEED);
  let [came, kept] = [0, 0];
  const uploadAll: typeof base.store.uploadAll = async (files) => {
    await base.store.uploadAll(files);
    kept += 1;
    if (came < 3) {
      came += 1;
      await append(FEED);
    }
  };
  const busy = openLake({ directory: base.directory, store: { ...base.store, uploadAll } });
  try {
    await eraseRows(busy, { spec: FEED, ...OF_X });
  } finally {
    await busy.close();
  }
  // Of the first file, and of those that came while it was written: each once.
  expect(kept).toBe(4);
  expect(await left()).toEqual(Array(4).fill(ROWS.slice(1)).flat());
});
