import { pipeline } from "node:stream/promises";
import { InputError } from "../../domain/failures.js";
import type { LakeQuery, QueryRow } from "../../lake/query/query.js";
import type { SqlColumn } from "../../lake/sql/duckdb-session.js";
import { type OutputFile, openOutputFile } from "../terminal/output-file.js";
import { csvRow } from "./csv-row.js";

const ENDINGS = /\.(csv|jsonl|parquet)$/i;

/** Opens the file of `--output` before anything is read. @throws InputError for a place or an ending that can't be */
export async function openRowFile(path: string): Promise<OutputFile> {
  if (ENDINGS.test(path)) return openOutputFile(path);
  throw new InputError(
    `--output: ${path} ends in none of .csv, .jsonl and .parquet, which say what is written. Nothing was begun.`,
  );
}

/** Streams the rows of a statement into a file, in the form that its name ends in. Returns how many. */
export async function writeRows(lake: LakeQuery, sql: string, file: OutputFile): Promise<number> {
  const form = ENDINGS.exec(file.path)?.[1]?.toLowerCase();
  let count = 0;
  await pipeline(async function* () {
    if (form === "parquet") {
      for await (const [written] of lake.query(sql, { parquet: file.part })) count = Number(written?.Count);
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
    for await (const rows of lake.query(sql, { began })) {
      count += rows.length;
      yield head + rows.map((row) => `${line(row)}\n`).join("");
      head = "";
    }
    yield head;
  }, file.sink);
  await file.keep();
  return count;
}
