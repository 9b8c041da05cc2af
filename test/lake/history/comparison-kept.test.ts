import { expect, test } from "vitest";
import { appendChanges } from "../../../src/lake/history/append-changes.js";
import type { HistorySpec } from "../../../src/lake/history/history-spec.js";
import { readTables } from "../../../src/lake/query/query-views.js";
import { typedColumns } from "../../../src/lake/sql/duckdb-sql.js";
import { accountStream } from "../../../src/streams/accounts.js";
import { bankLinkStream } from "../../../src/streams/bank-links.js";
import { eachTest } from "../../helpers/each-test.js";
import { HistoryLake } from "../../helpers/history/history-lake.js";

const at = eachTest(() => HistoryLake.open());

// The service's own column of bank links was kept like the roster's, because it has the same name: that an id was taken
// away made no row.
test.each([
  ["accounts", accountStream, ["A"]],
  ["bank links", bankLinkStream, ["A", null]],
])(
  "an external_id that a run does not have is kept where it is the roster's alone: %s",
  async (_, stream, ids) => {
    const spec = stream.table as HistorySpec;
    for (const [night, id] of ["'A'", "null"].entries()) {
      const values: Readonly<Record<string, string>> = {
        ...{ run_id: `'r${night}'`, observed_at: `'2026-01-0${night + 1}T02:00:00Z'`, external_id: id },
        ...{ fp_id: "'u'", link_id: "'l'", account_id: "'a'" },
      };
      const query = `select ${typedColumns(spec.columns, (name) => values[name] ?? "null")}`;
      await appendChanges(at.lake, spec, `r${night}/g`, `r${night}`, { query, whole: [] });
    }
    const rows = await readTables(at.lake, [spec], (sql) =>
      sql.rows(`select external_id from ${spec.name} order by observed_at`),
    );
    expect(rows.map(({ external_id }) => external_id)).toEqual(ids);
  },
);
