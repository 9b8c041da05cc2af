import { InputError } from "../../../domain/failures.js";
import { bytesWords } from "../../../domain/words/bytes.js";
import type { TableSpec } from "../../../lake/delta/delta-schema.js";
import { sqlName } from "../../../lake/sql/duckdb-sql.js";
import { quarantine } from "../../../lake/tables/quarantine.js";
import {
  type Content,
  chip,
  code,
  facts,
  joined,
  preformatted,
  section,
  table,
} from "../../../pages/parts.js";
import { TABLES } from "../../../tables.js";
import { rowsOf } from "../../lake/query.js";
import { page } from "../page.js";
import { cut } from "../shown.js";

const MOST_ROWS = 20;
const LONGEST = 60;
/** What rows are sorted by, the first of these that a table has. */
const NEWEST_FIRST = [
  "recorded_at",
  "finished_at",
  "fetched_at",
  "observed_at",
  "settled_at",
  "asked_at",
  "date",
];

interface DataTable {
  readonly table: string;
  readonly version: number;
  readonly rows: number;
  readonly bytes: number;
  readonly files: number;
  readonly columns: readonly {
    readonly name: string;
    readonly type: string;
    readonly description: string | null;
    readonly encrypted: boolean;
  }[];
  /** The newest rows; null for a value that is encrypted. */
  readonly newest: readonly Readonly<Record<string, string | null>>[];
}

export const dataTable = page<DataTable>("/data/:table", {
  async read({ query }, { part }) {
    const name = part("table");
    const found = (await query.listTables()).find((one) => one.table === name);
    if (found === undefined)
      throw new InputError(
        `there is no table ${JSON.stringify(name)} in this lake. Data lists those that there are.`,
      );
    const spec: TableSpec | undefined = TABLES.find((one) => one.name === name);
    const secret = new Set(spec?.columns.filter(({ encrypted }) => encrypted).map((column) => column.name));
    // A bad row's own text is personal and as it came; a command shows it to who asks for it.
    if (name === quarantine.name) secret.add("payload");
    const columns = found.columns.map((column) => ({ ...column, encrypted: secret.has(column.name) }));
    const order = NEWEST_FIRST.find((one) => columns.some((column) => column.name === one));
    const shown = columns.map(({ name: column, encrypted }) =>
      encrypted ? `null as ${sqlName(column)}` : `cast(${sqlName(column)} as varchar) as ${sqlName(column)}`,
    );
    const sorted = order === undefined ? "" : `order by ${sqlName(name)}.${sqlName(order)} desc nulls last`;
    const sql = `select ${shown.join(", ")} from ${sqlName(name)} ${sorted} limit ${MOST_ROWS}`;
    const newest = await rowsOf<Readonly<Record<string, string | null>>>(query, sql);
    return { ...found, columns, newest };
  },
  title: ({ table: name }) => name,
  draw: ({ table: name, version, rows, bytes, files, columns, newest }) =>
    joined(
      facts([
        ["Rows", rows],
        ["Size", `${bytesWords(bytes)} in ${files} files`],
        ["Version", version],
      ]),
      section(
        "Newest rows",
        table(
          `The newest rows of ${name}`,
          columns.map((column) => ({ name: column.name })),
          newest.map((row) => columns.map((column) => cell(row[column.name] ?? null, column.encrypted))),
          "It has no rows.",
        ),
      ),
      section(
        "Columns",
        table(
          `Columns of ${name}`,
          [{ name: "Column" }, { name: "Type" }, { name: "Meaning" }, { name: "" }],
          columns.map((column) => [
            code(column.name),
            column.type,
            column.description,
            column.encrypted ? chip("not shown", "note") : null,
          ]),
        ),
      ),
      section(
        "Read it",
        preformatted(
          [
            `nightledger query "select * from ${name} limit 20"`,
            "",
            "# DuckDB, where its extension delta is installed",
            `duckdb -c "from delta_scan('<lake>/${name}') limit 20"`,
            "",
            "# Python",
            `import polars; polars.scan_delta("<lake>/${name}").head(20).collect()`,
          ].join("\n"),
        ),
        "Read the table by its log as these do. The *.parquet files alone also hold rows that were removed or replaced.",
      ),
    ),
});

function cell(value: string | null, isEncrypted: boolean): Content {
  if (isEncrypted) return chip("not shown", "note");
  return value === null ? null : cut(value, LONGEST);
}
