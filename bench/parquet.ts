import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { showRows } from "../src/cli/lake/row-table.js";
import { processTerminal } from "../src/cli/terminal/terminal.js";
import { createDuckDb } from "../src/lake/sql/duckdb.js";
import type { SqlSession } from "../src/lake/sql/duckdb-session.js";
import { readBack, writeWithDuckDb } from "./parquet/duckdb-writer.js";
import { appendConcurrently, refusalOf, writeWithParquetJs } from "./parquet/parquetjs-writer.js";
import { AWKWARD, sampleLines } from "./parquet/sample-rows.js";

const ROWS = 100_000;
const CONCURRENT_ROWS = 1_000;

/** Compares the two ways to write Parquet on this machine and says why only one is used. */
async function main(): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "nightledger-parquet-"));
  const duckdb = createDuckDb({ scratchDirectory: join(directory, "scratch") });
  try {
    await duckdb.exclusive((sql) => compare(sql, directory));
  } finally {
    await duckdb.close();
    await rm(directory, { force: true, recursive: true });
  }
}

async function compare(sql: SqlSession, directory: string): Promise<void> {
  const files = {
    duckdb: join(directory, "duckdb.parquet"),
    parquetjs: join(directory, "parquetjs.parquet"),
  };
  const source = join(directory, "rows.jsonl");
  const few = join(directory, "few.jsonl");
  await writeFile(source, sampleLines(ROWS));
  await writeFile(few, sampleLines(CONCURRENT_ROWS));
  const duckdb = await timed(files.duckdb, () => writeWithDuckDb(sql, source, files.duckdb));
  const parquetjs = await timed(files.parquetjs, () => writeWithParquetJs(source, files.parquetjs));
  const read = { duckdb: await readBack(sql, files.duckdb), parquetjs: await readBack(sql, files.parquetjs) };
  const together = join(directory, "together.parquet");
  const concurrent = await appendConcurrently(few, together).then(
    async () => readBack(sql, together),
    (error: unknown) => String(error),
  );
  const figures = [
    ["rows/s", whole(ROWS / duckdb.seconds), whole(ROWS / parquetjs.seconds)],
    ["CPU, µs a row", duckdb.cpuMicros.toFixed(1), parquetjs.cpuMicros.toFixed(1)],
    ["file, KB", whole(duckdb.bytes / 1024), whole(parquetjs.bytes / 1024)],
    ["amount", judged(read.duckdb.amount, AWKWARD.amount), judged(read.parquetjs.amount, AWKWARD.amount)],
    [
      "INT64",
      judged(read.duckdb.sequence, AWKWARD.sequence),
      judged(read.parquetjs.sequence, AWKWARD.sequence),
    ],
    ["DECIMAL", "yes", refusalOf({ type: "DECIMAL" }) ?? "yes"],
    ["zstd", "yes", refusalOf({ type: "UTF8", compression: "ZSTD" }) ?? "yes"],
    [`${CONCURRENT_ROWS} rows appended at once`, "one statement: none is lost", appended(concurrent)],
  ].map(([what, ours, theirs]) => ({ what, DuckDB: ours, "parquetjs-lite": theirs }));
  process.stdout.write(`${ROWS} rows\n`);
  showRows(processTerminal(), figures);
  process.stdout.write(
    "Money and positions must come back to the last digit and no row twice: DuckDB writes, parquetjs-lite is here for this comparison only.\n",
  );
}

async function timed(path: string, write: () => Promise<void>) {
  const cpu = process.cpuUsage();
  const started = performance.now();
  await write();
  const seconds = (performance.now() - started) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  return { seconds, cpuMicros: (user + system) / ROWS, bytes: (await stat(path)).size };
}

function judged(value: string, expected: string): string {
  return value === expected ? `exact: ${value}` : `WRONG: ${value}\n   for: ${expected}`;
}

function appended(found: string | { rows: number; ids: number }): string {
  if (typeof found === "string") return `fails: ${found}`;
  const { rows, ids } = found;
  return rows === CONCURRENT_ROWS && ids === rows ? "as they are" : `WRONG: ${rows} rows, ${ids} different`;
}

function whole(value: number): string {
  return Math.round(value).toLocaleString("en");
}

await main();
