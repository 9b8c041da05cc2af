import { resolve } from "node:path";
import type { QueryRow } from "../../lake/query/query.js";
import type { SqlColumn } from "../../lake/sql/duckdb-session.js";
import { counted } from "../terminal/counted.js";
import type { Terminal } from "../terminal/terminal.js";
import { csvRow } from "./csv-row.js";
import { withLakeQuery } from "./query.js";
import { openRowFile, writeRows } from "./row-file.js";
import { showRows, type TableFlags } from "./row-table.js";

export interface QueryFlags extends TableFlags {
  readonly output?: string;
  readonly limit: number;
  readonly decrypt?: boolean;
}

/** Runs a statement over the lake and shows its rows, or writes them into a file. */
export async function runQuery(terminal: Terminal, sql: string, flags: QueryFlags): Promise<void> {
  if (flags.output !== undefined) return outputQuery(terminal, sql, flags.output, flags.decrypt);
  const rows: QueryRow[] = [];
  let columns: readonly SqlColumn[] = [];
  const began = (given: readonly SqlColumn[]) => {
    columns = given;
    if (flags.csv) terminal.result(csvRow(columns.map(({ name }) => name)));
  };
  let more = false;
  await withLakeQuery(
    terminal,
    async (lake) => {
      for await (const batch of lake.query(sql, { began })) {
        if (flags.csv) {
          const lines = batch.map((row) => csvRow(columns.map(({ name }) => row[name] ?? null)));
          terminal.result(lines.join("\n"));
          continue;
        }
        rows.push(...batch);
        more = !flags.json && rows.length > flags.limit;
        if (more) return;
      }
    },
    flags.decrypt,
  );
  if (flags.csv) return;
  if (flags.json) return terminal.result(JSON.stringify(rows));
  const decimals = new Set(columns.filter(({ type }) => type.startsWith("DECIMAL")).map(({ name }) => name));
  const names = columns.map(({ name }) => name);
  showRows(terminal, rows.slice(0, flags.limit), { ...flags, names, decimals });
  if (more) terminal.say(`showing the first ${flags.limit} rows; --limit 0 shows all`);
}

async function outputQuery(terminal: Terminal, sql: string, path: string, decrypt = false): Promise<void> {
  const file = await openRowFile(resolve(terminal.cwd, path));
  try {
    const count = await withLakeQuery(terminal, (lake) => writeRows(lake, sql, file), decrypt);
    terminal.say(`wrote ${counted(count, "row")} to ${path}`);
  } catch (error) {
    await file.discard();
    throw error;
  }
}
