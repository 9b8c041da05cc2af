import { expect, test, vi } from "vitest";
import { openLake } from "../../../src/lake/lake.js";
import { readTables } from "../../../src/lake/query/query-views.js";
import { appendOnce } from "../../../src/lake/tables/append.js";
import { writeRows } from "../../../src/lake/tables/parquet-file.js";
import { quarantine } from "../../../src/lake/tables/quarantine.js";
import { eachTest } from "../../helpers/each-test.js";
import { openTestLake } from "../../helpers/lake/delta-lake.js";

const base = eachTest(openTestLake);
const lake = eachTest(() => openLake({ directory: base.directory }));

const write = () => writeRows(lake, quarantine, "run", [{ run_id: "run", payload: "x" }]);
const rowsIn = async () => {
  const { files } = await lake.table("quarantine").snapshot();
  return [...files.values()].reduce((sum, { stats }) => sum + JSON.parse(stats ?? "{}").numRecords, 0);
};

test("an append whose transaction is in the log is not repeated, and writes no file", async () => {
  await appendOnce(lake, quarantine, "run/g0", write);
  await appendOnce(lake, quarantine, "run/g0", () => expect.unreachable("written again"));
  await appendOnce(lake, quarantine, "run/g1", write);
  expect(await rowsIn()).toBe(2);
});

test("twins that append at the same time add their rows once", async () => {
  await Promise.all(Array.from({ length: 5 }, () => appendOnce(lake, quarantine, "run/g0", write)));
  expect(await rowsIn()).toBe(1);
});

test("nothing to write makes no version, and no table", async () => {
  await appendOnce(lake, quarantine, "run/g0", async () => []);
  expect((await lake.table("quarantine").snapshot()).version).toBe(-1);
});

test("an append is not repeated after the clock has jumped a month and checkpoints were written", async () => {
  await appendOnce(lake, quarantine, "run/g0", write);
  vi.useFakeTimers({ now: Date.now() + 31 * 86_400_000, toFake: ["Date"] });
  try {
    for (let n = 1; n <= 10; n += 1) await appendOnce(lake, quarantine, `later/g${n}`, write);
    const reopened = openLake({ directory: base.directory });
    await appendOnce(reopened, quarantine, "run/g0", () => expect.unreachable("written again"));
    await reopened.close();
  } finally {
    vi.useRealTimers();
  }
  expect(await rowsIn()).toBe(11);
});

test("a table of an earlier version gets the columns that it lacks, and its older rows have null there", async () => {
  const younger = {
    ...quarantine,
    columns: [...quarantine.columns, { name: "later", type: "BIGINT" }],
  } as const;
  await appendOnce(lake, quarantine, "run/g0", write);
  const rows = () =>
    readTables(lake, [younger], (sql) =>
      sql.rows("select run_id, later from quarantine order by later, run_id"),
    );
  expect(await rows()).toEqual([{ run_id: "run", later: null }]);
  await appendOnce(lake, younger, "run/g1", () =>
    writeRows(lake, quarantine, "run", [{ run_id: "old file" }]),
  );
  expect(await rows()).toHaveLength(2);
  await appendOnce(lake, younger, "run/g2", () =>
    writeRows(lake, younger, "run", [{ run_id: "new", later: 7 }]),
  );
  expect(await rows()).toEqual([
    { run_id: "new", later: 7n },
    { run_id: "old file", later: null },
    { run_id: "run", later: null },
  ]);
  const { metadata, version } = await lake.table("quarantine").snapshot();
  expect([JSON.parse(metadata?.schemaString ?? "").fields.at(-1).name, version]).toEqual(["later", 2]);
});
