import { expect, test } from "vitest";
import { isHistory } from "../../src/lake/history/history-spec.js";
import { changes, instant, observed } from "../../src/streams/stream.js";
import { openTestLake } from "../helpers/lake/delta-lake.js";

const COLUMNS = { a: ["VARCHAR", "r.a", "a thing"] } as const;
const FROM = "x join origin o using (page_no)";

test("a history of changes has the owner of a list in its key, and says last what is gone and what has no column", () => {
  const { table, projection } = changes("things", "link", ["link_id", "a"], COLUMNS, "list");
  expect(isHistory(table)).toBe(true);
  expect(table).toMatchObject({ owner: ["fp_id", "link_id"], key: ["fp_id", "link_id", "a"] });
  expect(table.columns.map(({ name }) => name)).toEqual([
    "run_id",
    "observed_at",
    "fp_id",
    "a",
    "gone",
    "other_fields",
  ]);
  expect(projection).toMatch(
    /null::boolean as "gone", r.other_fields as "other_fields" from .*unnest\(list\)/,
  );
  expect(changes("things", "user", ["a"], COLUMNS, "list").table.key).toEqual(["fp_id", "a"]);
});

test("a stream may have a row for each run all the same", () => {
  const { table } = observed("things", COLUMNS, FROM);
  expect(isHistory(table)).toBe(false);
  expect(table.columns.map(({ name }) => name)).toEqual(["run_id", "observed_at", "fp_id", "a"]);
});

test("an instant is in the years that every reader of the table has, and its offset is one", async () => {
  const texts = {
    "2026-01-01T00:00:00+01:00": "2025-12-31 23:00:00+00",
    "0001-01-01T00:00:00Z": "0001-01-01 00:00:00+00",
    "9999-12-31T23:59:59.999999Z": "9999-12-31 23:59:59.999999+00",
    "2026-01-01T00:00:00+14:00": "2025-12-31 10:00:00+00",
    "0001-01-01T00:00:00+01:00": null,
    "0000-05-05T00:00:00Z": null,
    "9999-12-31T23:59:59-14:00": null,
    "2026-01-01T00:00:00+99:99": null,
    "2026-01-01T00:00:00": null,
  };
  const lake = await openTestLake();
  try {
    const values = Object.keys(texts).map((text) => `('${text}')`);
    const rows = await lake.duckdb.exclusive(async (sql) =>
      sql.rows(
        `select t, strftime(timezone('UTC', ${instant("t")}), '%Y-%m-%d %H:%M:%S.%f') as at from (values ${values.join(", ")}) v(t)`,
      ),
    );
    const said = Object.values(texts).map((text) =>
      text === null ? null : Date.parse(text.replace(" ", "T").replace("+00", "Z")),
    );
    expect(
      rows.map(({ at }) => (at === null ? null : Date.parse(`${String(at).replace(" ", "T")}Z`))),
    ).toEqual(said);
  } finally {
    await lake.release();
  }
});
