import { resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { InputError } from "../../domain/failures.js";
import { counted } from "../../domain/words/counted.js";
import type { LakeQuery, QueryRow } from "../../lake/query/query.js";
import type { SqlColumn } from "../../lake/sql/duckdb-session.js";
import type { Terminal } from "../terminal/terminal.js";
import { type OutputFile, openOutputFile } from "../terminal/whole-file.js";
import { withLakeQuery } from "./query.js";
import { csvRow, showRows, type TableFlags } from "./row-table.js";

interface QueryFlags extends TableFlags {
  readonly output?: string;
  readonly limit: number;
  readonly decrypt?: boolean;
}

export async function showTables(terminal: Terminal, flags: TableFlags): Promise<void> {
  const found = await withLakeQuery(terminal, (lake) => lake.listTables());
  if (flags.json) return terminal.result(JSON.stringify({ items: found }));
  const shown = found.map(({ columns: _, ...table }) => table);
  if (found.length === 0 && !flags.csv) terminal.result("no tables yet: run `nightledger sync`");
  else showRows(terminal, shown, { flags, names: ["table", "version", "rows", "files", "bytes"] });
}

/** Shows a statement's rows, or writes them to a file. */
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
      for await (const batch of lake.query(sql, { began, isForeign: true })) {
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
  showRows(terminal, rows.slice(0, flags.limit), { flags, names, decimals });
  if (more) terminal.say(`showing the first ${counted(flags.limit, "row")}; --limit 0 shows all`);
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

const ENDINGS = /\.(csv|jsonl|parquet)$/i;

/** Before anything is read. @throws InputError for a wrong place or ending */
async function openRowFile(path: string): Promise<OutputFile> {
  if (ENDINGS.test(path)) return openOutputFile(path);
  throw new InputError(
    `--output: ${path} ends in none of .csv, .jsonl and .parquet, which say what is written. Nothing was begun.`,
  );
}

/** In the form of the file's name; returns how many. */
async function writeRows(lake: LakeQuery, sql: string, file: OutputFile): Promise<number> {
  const form = ENDINGS.exec(file.path)?.[1]?.toLowerCase();
  let count = 0;
  await pipeline(async function* () {
    if (form === "parquet") {
      for await (const [written] of lake.query(sql, { parquet: file.part })) count = written?.Count as number;
      return;
    }
    let names: readonly string[] = [];
    let head = "";
    const began = (columns: readonly SqlColumn[]) => {
      names = columns.map(({ name }) => name);
      if (form === "csv") head = `${csvRow(names)}\n`;
    };
    const line = (row: QueryRow) =>
      form === "csv" ? csvRow(names.map((name) => row[name] ?? null)) : JSON.stringify(row);
    for await (const rows of lake.query(sql, { began, isForeign: true })) {
      count += rows.length;
      yield head + rows.map((row) => `${line(row)}\n`).join("");
      head = "";
    }
    yield head;
  }, file.sink);
  await file.keep();
  return count;
}
