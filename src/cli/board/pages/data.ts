import { NotThereError } from "../../../domain/failures.js";
import { counted } from "../../../domain/words/counted.js";
import { bytesWords } from "../../../domain/words/texts.js";
import type { TableSpec } from "../../../lake/delta/delta-schema.js";
import type { TableSummary } from "../../../lake/query/query.js";
import { rowsOf } from "../../../lake/query/store-query.js";
import { sqlName, sqlText } from "../../../lake/sql/duckdb-sql.js";
import { quarantine } from "../../../lake/tables/quarantine.js";
import {
  chip,
  code,
  facts,
  figure,
  headline,
  headNumber,
  joined,
  paragraph,
  preformatted,
  section,
  table,
} from "../../../pages/parts.js";
import { TABLES } from "../../../tables.js";
import { page } from "../page.js";
import { instant, listing, tableSection } from "../shown.js";

const MOST_ROWS = 20;
const LONGEST = 60;
/** What says when a row came, the first of these that a table has. */
const WHEN =
  "recorded_at finished_at fetched_at observed_at settled_at asked_at received_at at called_at reconciled_at resolved_at imported_at failed_at decrypted_at written_at requested_at";

/** Its newest row of the last two weeks, and the rows that a night of them added, their mean; null where rows say no time. */
interface Growth {
  readonly newest: string | null;
  readonly per_night: number | null;
}

export const data = page("/data", {
  title: "Data",
  tables: TABLES,
  async read({ query }) {
    const found = await query.listTables();
    // Only files and row groups of these days are read.
    const sql = found.flatMap((one) => {
      const when = sqlName(whenOf(one) ?? "");
      return whenOf(one) === undefined || one.rows === 0
        ? []
        : `select ${sqlText(one.table)} as name, max(${when}) as newest,
            round(count(*) / greatest(count(distinct ${when}::date), 1))::int as per_night
          from ${sqlName(one.table)} where ${when} > now() - interval 14 days`;
    });
    const grown = await rowsOf<Growth & { readonly name: string }>(
      query,
      sql.join(" union all ") || "select 1 limit 0",
    );
    const tables = found.map(({ columns: _, ...one }) => {
      const { newest = null, per_night = null } =
        grown.find(({ name }) => name === one.table) ?? ({} as Partial<Growth>);
      return { ...one, newest, per_night };
    });
    return { tables };
  },
  draw: ({ tables }) => {
    const sum = (name: "rows" | "bytes" | "files") => tables.reduce((all, one) => all + one[name], 0);
    return joined(
      headline([
        headNumber(tables.length, "tables"),
        headNumber(sum("rows"), "rows"),
        headNumber(bytesWords(sum("bytes")), "in files that count"),
        headNumber(sum("files"), "files"),
      ]),
      listing("Tables of the lake", "There are no tables yet: run nightledger sync.", tables, {
        Table: "table",
        Rows: "rows",
        "A night": ({ per_night }) => (per_night === null ? null : figure(`+${per_night}`)),
        Size: ({ bytes }) => figure(bytesWords(bytes)),
        Files: "files",
        Version: "version",
        "Newest row": ({ newest }) => instant(newest),
      }),
      paragraph(
        "Every table is a Delta table: DuckDB, Polars and Spark read it directly. A table's page has the lines to copy.",
        "aside",
      ),
    );
  },
});

export const dataTable = page("/data/:table", {
  tables: ({ part }) => TABLES.filter(({ name }) => name === part("table")),
  async read({ query }, { part }) {
    const name = part("table");
    const found = (await query.listTables()).find((one) => one.table === name);
    if (found === undefined)
      throw new NotThereError(
        `there is no table ${JSON.stringify(name)} in this lake. Data lists those that there are.`,
      );
    const spec: TableSpec | undefined = TABLES.find((one) => one.name === name);
    const secret = new Set(spec?.columns.filter(({ encrypted }) => encrypted).map((column) => column.name));
    // A bad row's own text is personal and as it came; a command shows it to who asks for it.
    if (name === quarantine.name) secret.add("payload");
    const columns = found.columns.map((column) => ({ ...column, encrypted: secret.has(column.name) }));
    const shown = columns.map(({ name: column, encrypted }) =>
      encrypted ? `null as ${sqlName(column)}` : `${sqlName(column)}::varchar as ${sqlName(column)}`,
    );
    const when = whenOf(found);
    const order = when === undefined ? "" : `order by ${sqlName(name)}.${sqlName(when)} desc nulls last`;
    const sql = `select ${shown.join(", ")} from ${sqlName(name)} ${order} limit ${MOST_ROWS}`;
    return { ...found, columns, newest: await rowsOf<Readonly<Record<string, string | null>>>(query, sql) };
  },
  title: ({ table: name }) => name,
  draw: ({ table: name, version, rows, bytes, files, columns, newest }) => {
    const hidden = chip("not shown", "note");
    const cellOf = (value: string | null = null) => (value === null ? null : cut(value));
    const cells = newest.map((row) => columns.map((one) => (one.encrypted ? hidden : cellOf(row[one.name]))));
    return joined(
      facts({ Rows: rows, Size: `${bytesWords(bytes)} in ${counted(files, "file")}`, Version: version }),
      section(
        "Newest rows",
        table(
          `The newest rows of ${name}`,
          "It has no rows.",
          columns.map((column) => column.name),
          cells,
        ),
      ),
      tableSection("Columns", `Columns of ${name}`, "It has no columns.", columns, {
        Column: (column) => code(column.name),
        Type: "type",
        Meaning: "description",
        "": ({ encrypted }) => (encrypted ? hidden : null),
      }),
      section("Read it", preformatted(linesToRead(name)), OF_ITS_LOG),
    );
  },
});

const OF_ITS_LOG =
  "Read the table by its log as these do. The *.parquet files alone also hold rows that were removed or replaced.";

function linesToRead(name: string): string {
  return `nightledger query "select * from ${name} limit 20"

# DuckDB, where its extension delta is installed
duckdb -c "from delta_scan('<lake>/${name}') limit 20"

# Python
import polars; polars.scan_delta("<lake>/${name}").head(20).collect()`;
}

function whenOf({ columns }: TableSummary): string | undefined {
  return WHEN.split(" ").find((name) =>
    columns.some((column) => column.name === name && column.type === "TIMESTAMPTZ"),
  );
}

/** A long text, cut; by characters, so that none is cut in two. */
function cut(text: string): string {
  const characters = [...text];
  return characters.length <= LONGEST ? text : `${characters.slice(0, LONGEST - 1).join("")}…`;
}
