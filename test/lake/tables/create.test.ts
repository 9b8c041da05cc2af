import { expect, test } from "vitest";
import { openLake } from "../../../src/lake/lake.js";
import { readTables } from "../../../src/lake/query/query-views.js";
import { createTables } from "../../../src/lake/tables/create.js";
import { runs } from "../../../src/lake/tables/runs.js";
import { TABLES } from "../../../src/tables.js";
import { FeedLake } from "../../helpers/lake/feed-lake.js";

test("processes that create the tables at once leave each empty, with its columns, and rows that were there", async () => {
  const at = await FeedLake.open();
  const others = [1, 2, 3].map(() => openLake({ directory: at.directory }));
  try {
    await at.feed({ id: "x", sequence: 1 });
    await Promise.all(others.map(({ store }) => createTables(store, TABLES)));
    for (const spec of TABLES) {
      const { version, metadata, files } = await at.lake.table(spec.name).writableSnapshot();
      const { fields } = JSON.parse(metadata?.schemaString ?? "");
      expect(fields.map(({ name }: { name: string }) => name)).toEqual(spec.columns.map(({ name }) => name));
      expect([spec.name, version, files.size]).toEqual([
        spec.name,
        0,
        spec.name === "transaction_changes" ? 1 : 0,
      ]);
    }
    expect(await readTables(at.lake, [runs], (sql) => sql.rows("from runs"))).toEqual([]);
  } finally {
    for (const lake of others) await lake.close();
    await at.release();
  }
});
