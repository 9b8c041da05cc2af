import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { currentOf } from "../../../src/lake/history/history-spec.js";
import { inKeyParts, type NewestFiles } from "../../../src/lake/history/newest-rows.js";
import { parquetRows } from "../../../src/lake/sql/duckdb-files.js";
import { columnNames } from "../../../src/lake/sql/duckdb-sql.js";
import { writeQuery } from "../../../src/lake/tables/parquet-file.js";
import { eachTest } from "../../helpers/each-test.js";
import { HistoryLake, observedQuery, THINGS } from "../../helpers/history/history-lake.js";

const NIGHT = new Date(Date.UTC(2026, 0, 1));
const ROWS = 2_000;

const at = eachTest(() => HistoryLake.open());
let files: NewestFiles;
beforeEach(async () => {
  const one = observedQuery("r", NIGHT, [{ owner: "u", id: "", state: "on" }]);
  const things = (from: number) =>
    `select * exclude (id) replace (if(id = 0, null, id::varchar) as thing_id)
      from (${one}), range(${from}, ${from + ROWS}) as ids(id)`;
  const small = `select ${columnNames(currentOf(THINGS).columns)} from (${things(0)})`;
  const [current] = await writeQuery(at.lake, currentOf(THINGS), "test", small);
  const [since] = await writeQuery(at.lake, THINGS, "test", things(ROWS / 2));
  files = {
    current: [join(at.base, "lake", "things_current", current?.path ?? "")],
    since: [join(at.base, "lake", "things", since?.path ?? "")],
  };
});

const scratch = () => readdir(at.lake.duckdb.scratchDirectory);

async function idsOf(paths: readonly string[]): Promise<string[]> {
  const rows = await at.lake.duckdb.exclusive((sql) =>
    sql.rows(`select thing_id from ${parquetRows(paths, currentOf(THINGS).columns)}`),
  );
  return rows.map(({ thing_id }) => String(thing_id));
}

// Of 25 both cuts have five files: the second must go by other digits of the hash.
test.each([0, 1, 2, 16, 17, 25])(
  "in %i parts, each row is in one, with all others of its key",
  async (parts) => {
    const partOf = new Map<string, number>();
    let count = 0;
    let rows = 0;
    await inKeyParts(at.lake, THINGS, files, parts, async ({ current, since }) => {
      count += 1;
      for (const id of [...(await idsOf(current)), ...(await idsOf(since))]) {
        rows += 1;
        expect(partOf.get(id) ?? count).toBe(count);
        partOf.set(id, count);
      }
    });
    expect(rows).toBe(2 * ROWS);
    expect(partOf.size).toBe(ROWS * 1.5);
    expect(count).toBeGreaterThanOrEqual(parts);
    expect(new Set(partOf.values()).size).toBe(count);
    expect(await scratch()).toEqual([]);
  },
);

test("work that fails leaves nothing in scratch", async () => {
  const failing = inKeyParts(at.lake, THINGS, files, 40, async () => {
    throw new Error("no");
  });
  await expect(failing).rejects.toThrow("no");
  expect(await scratch()).toEqual([]);
});
