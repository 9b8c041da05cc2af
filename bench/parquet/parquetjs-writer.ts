import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";

/** What is used of `parquetjs-lite`, which has no types of its own. */
interface ParquetJs {
  readonly ParquetSchema: new (
    fields: Record<string, { readonly type: string; readonly compression?: string }>,
  ) => object;
  readonly ParquetWriter: { openFile(schema: object, path: string): Promise<Writer> };
}

interface Writer {
  appendRow(row: Record<string, unknown>): Promise<void>;
  close(): Promise<void>;
  setRowGroupSize(rows: number): void;
}

const { ParquetSchema, ParquetWriter } = createRequire(import.meta.url)("parquetjs-lite") as ParquetJs;
const ROW_GROUP_SIZE = 20_480;

// It knows neither DECIMAL nor zstd: a double and gzip are the nearest it has.
const FIELDS = {
  transaction_id: { type: "UTF8", compression: "GZIP" },
  account_id: { type: "UTF8", compression: "GZIP" },
  amount: { type: "DOUBLE", compression: "GZIP" },
  sequence: { type: "INT64", compression: "GZIP" },
  date: { type: "UTF8", compression: "GZIP" },
  description: { type: "UTF8", compression: "GZIP" },
};

async function rowsOf(source: string): Promise<Record<string, unknown>[]> {
  const lines = (await readFile(source, "utf8")).trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

async function open(path: string): Promise<Writer> {
  const writer = await ParquetWriter.openFile(new ParquetSchema(FIELDS), path);
  writer.setRowGroupSize(ROW_GROUP_SIZE);
  return writer;
}

/** Writes lines of JSON row after row, as its documentation does. */
export async function writeWithParquetJs(source: string, path: string): Promise<void> {
  const writer = await open(path);
  for (const row of await rowsOf(source)) await writer.appendRow(row);
  await writer.close();
}

/** Writes rows without waiting for each: what several links that finish at once would do. */
export async function appendConcurrently(source: string, path: string): Promise<void> {
  const writer = await open(path);
  const rows = await rowsOf(source);
  writer.setRowGroupSize(Math.ceil(rows.length / 10));
  await Promise.all(rows.map((row) => writer.appendRow(row)));
  await writer.close();
}

/** Whether it takes a field of a type or with a compression at all: its own words where not. */
export function refusalOf(field: {
  readonly type: string;
  readonly compression?: string;
}): string | undefined {
  try {
    new ParquetSchema({ field });
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
