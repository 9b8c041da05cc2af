import { bytesWords } from "../../../domain/words/bytes.js";
import { sqlName, sqlText } from "../../../lake/sql/duckdb-sql.js";
import { headline, joined, type Markup, paragraph, table } from "../../../pages/parts.js";
import { rowsOf } from "../../lake/query.js";
import { type BoardView, page } from "../page.js";
import { instant, linkTo } from "../shown.js";

/** The instant by which a table's newest row is found, the first of these that it has. */
const AGES = [
  "recorded_at",
  "finished_at",
  "fetched_at",
  "observed_at",
  "settled_at",
  "asked_at",
  "received_at",
];

interface Data {
  readonly tables: readonly {
    readonly table: string;
    readonly version: number;
    readonly rows: number;
    readonly bytes: number;
    readonly files: number;
    /** ISO instant of its newest row; null where none is of the last two weeks, or rows say no time. */
    readonly newest: string | null;
    /** Rows that the nights of the last two weeks added to it, the mean of a night; null where rows say no time. */
    readonly per_night: number | null;
  }[];
}

export const data = page<Data>("/data", {
  name: "Data",
  async read(view) {
    const found = await view.query.listTables();
    const aged = found.flatMap(({ table, columns, rows }) => {
      const age = AGES.find((name) => columns.some((column) => column.name === name));
      return age === undefined || rows === 0 ? [] : [{ table, age }];
    });
    const ages = await newestRows(view, aged);
    return {
      tables: found.map(({ table, version, rows, bytes, files }) => ({
        ...{ table, version, rows, bytes, files },
        newest: ages.get(table)?.newest ?? null,
        per_night: ages.get(table)?.perNight ?? null,
      })),
    };
  },
  title: () => "Data",
  draw: ({ tables }) =>
    joined(
      headline([
        { value: tables.length, label: "tables" },
        { value: tables.reduce((sum, { rows }) => sum + rows, 0), label: "rows" },
        {
          value: bytesWords(tables.reduce((sum, { bytes }) => sum + bytes, 0)),
          label: "in files that count",
        },
        { value: tables.reduce((sum, { files }) => sum + files, 0), label: "files" },
      ]),
      listing({ tables }),
      paragraph(
        "Every table is a Delta table: DuckDB, Polars and Spark read it directly. A table's page has the lines to copy.",
        "aside",
      ),
    ),
});

function listing({ tables }: Data): Markup {
  const columns = [
    { name: "Table" },
    ...["Rows", "A night", "Size", "Files", "Version"].map((name) => ({ name, isCount: true })),
    { name: "Newest row" },
  ];
  const rows = tables.map(({ table, rows, bytes, files, version, newest, per_night }) => [
    linkTo("data", table),
    ...[rows, per_night === null ? "" : `+${per_night}`, bytesWords(bytes), files, version],
    instant(newest),
  ]);
  return table("Tables of the lake", columns, rows, "There are no tables yet: run nightledger sync.");
}

async function newestRows(
  { query }: BoardView,
  aged: readonly { readonly table: string; readonly age: string }[],
): Promise<Map<string, { newest: string | null; perNight: number }>> {
  if (aged.length === 0) return new Map();
  // Only files and row groups of these days are read.
  const sql = aged.map(
    ({ table, age }) => `select ${sqlText(table)} as name, max(${sqlName(age)}) as newest, count(*) as rows,
      count(distinct ${sqlName(age)}::date) as nights from ${sqlName(table)} where ${sqlName(age)} > now() - interval 14 days`,
  );
  type Row = {
    readonly name: string;
    readonly newest: string | null;
    readonly rows: number;
    readonly nights: number;
  };
  const rows = await rowsOf<Row>(query, sql.join(" union all "));
  return new Map(
    rows.map(({ name, newest, rows: added, nights }) => [
      name,
      { newest, perNight: Math.round(Number(added) / Math.max(1, Number(nights))) },
    ]),
  );
}
