import { type FileHandle, open } from "node:fs/promises";
import { STATS_COLUMNS } from "../delta/delta-stats.js";
import { ThriftReader } from "./compact-thrift.js";

const MAGIC = "PAR1";
/** The footer's length and the magic number after it. */
const TAIL_BYTES = 8;
/** The first read: it holds the footer of a file with up to about twenty row groups. */
const FIRST_READ = 64 * 1024;

/** What a row group's footer says about a column's values. */
interface GroupBounds {
  /** As Parquet writes them; undefined if there is no value, or the writer gave no exact bound. */
  readonly min: Buffer | undefined;
  readonly max: Buffer | undefined;
  readonly nulls: number;
}

/** A row group: a part of a Parquet file that can be read without the others. */
export interface RowGroup {
  readonly path: string;
  readonly rows: number;
  /** Where its bytes begin in the file: all its columns, without a gap. */
  readonly from: number;
  readonly bytes: number;
  readonly footer: Buffer;
  readonly bounds: ReadonlyMap<string, GroupBounds>;
}

export interface ParquetFooter {
  readonly schema: Buffer;
  readonly bytes: Buffer;
  readonly groups: readonly RowGroup[];
}

/** Statistics are kept for these only (`delta-stats.ts`). */
const BOUNDED: ReadonlySet<string> = new Set(STATS_COLUMNS);

/** Reads a Parquet file's footer; undefined if its row groups can't be copied to another file byte by byte. */
export async function readParquetFooter(path: string): Promise<ParquetFooter | undefined> {
  const file = await open(path);
  try {
    const bytes = await footerBytes(file);
    return bytes && parsed(path, bytes);
  } catch (error) {
    // A length in it is wrong: SQL will say what is wrong with the file when it reads it.
    if (error instanceof RangeError) return undefined;
    throw error;
  } finally {
    await file.close();
  }
}

async function footerBytes(file: FileHandle): Promise<Buffer | undefined> {
  const { size } = await file.stat();
  const end = await readAt(file, Math.max(0, size - FIRST_READ), Math.min(size, FIRST_READ));
  if (end.length < TAIL_BYTES || end.toString("latin1", end.length - MAGIC.length) !== MAGIC)
    return undefined;
  const length = end.readUInt32LE(end.length - TAIL_BYTES);
  if (length + TAIL_BYTES > size) return undefined;
  if (length + TAIL_BYTES <= end.length) return end.subarray(-length - TAIL_BYTES, -TAIL_BYTES);
  return readAt(file, size - TAIL_BYTES - length, length);
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length);
  const { bytesRead } = await file.read(buffer, 0, length, position);
  if (bytesRead === length) return buffer;
  throw new Error(`A Parquet file ended ${length - bytesRead} bytes early while it was read.`);
}

/** Field numbers are those of `parquet.thrift`. */
function parsed(path: string, bytes: Buffer): ParquetFooter | undefined {
  const reader = new ThriftReader(bytes);
  let schema: Buffer | undefined;
  let whole = true;
  const groups: RowGroup[] = [];
  reader.struct((id, type) => {
    if (id === 2) {
      const from = reader.at;
      reader.skip(type);
      schema = bytes.subarray(from, reader.at);
      return true;
    }
    if (id === 4) {
      for (let left = reader.list().size; left > 0; left -= 1) {
        const group = rowGroup(path, reader);
        if (group === undefined) whole = false;
        else groups.push(group);
      }
      return true;
    }
    if (id === 8) whole = false;
    return false;
  });
  return whole && schema !== undefined ? { schema, bytes, groups } : undefined;
}

interface ColumnChunk {
  readonly name: string;
  readonly from: number;
  readonly bytes: number;
  readonly bounds: GroupBounds | undefined;
}

function rowGroup(path: string, reader: ThriftReader): RowGroup | undefined {
  const start = reader.at;
  const columns: (ColumnChunk | undefined)[] = [];
  let rows = 0;
  reader.struct((id) => {
    if (id === 1) {
      for (let left = reader.list().size; left > 0; left -= 1) columns.push(columnChunk(reader));
      return true;
    }
    if (id !== 3) return false;
    rows = reader.integer();
    return true;
  });
  const bounds = new Map<string, GroupBounds>();
  let end: number | undefined;
  for (const column of columns) {
    if (column === undefined || column.from !== (end ?? column.from)) return undefined;
    end = column.from + column.bytes;
    if (!BOUNDED.has(column.name)) continue;
    if (column.bounds === undefined) return undefined;
    bounds.set(column.name, column.bounds);
  }
  const from = columns[0]?.from;
  if (from === undefined || end === undefined) return undefined;
  return { path, rows, from, bytes: end - from, footer: reader.bytes.subarray(start, reader.at), bounds };
}

function columnChunk(reader: ThriftReader): ColumnChunk | undefined {
  let here = true;
  let column: ColumnChunk | undefined;
  reader.struct((id) => {
    if (id === 3) {
      column = columnMetadata(reader);
      return true;
    }
    // The values are in another file, or encrypted.
    if (id === 1 || id >= 8) here = false;
    return false;
  });
  return here ? column : undefined;
}

function columnMetadata(reader: ThriftReader): ColumnChunk | undefined {
  const path: string[] = [];
  const offsets: number[] = [];
  let bytes: number | undefined;
  let bounds: GroupBounds | undefined;
  reader.struct((id) => {
    if (id === 3) {
      for (let left = reader.list().size; left > 0; left -= 1) path.push(reader.binary().toString());
    } else if (id === 7) bytes = reader.integer();
    else if (id >= 9 && id <= 11) offsets.push(reader.integer());
    else if (id === 12 && BOUNDED.has(path.join("."))) bounds = statistics(reader);
    else return false;
    return true;
  });
  // Old files have 0 for a missing dictionary.
  const from = Math.min(...offsets.filter((offset) => offset > 0));
  if (bytes === undefined || !Number.isFinite(from)) return undefined;
  return { name: path.join("."), from, bytes, bounds };
}

function statistics(reader: ThriftReader): GroupBounds | undefined {
  let nulls: number | undefined;
  let exact = true;
  const bounds: { min?: Buffer; max?: Buffer } = {};
  reader.struct((id, type) => {
    if (id === 3) nulls = reader.integer();
    else if (id === 5) bounds.max = reader.binary();
    else if (id === 6) bounds.min = reader.binary();
    else {
      // `is_max_value_exact` and `is_min_value_exact`, whose type says that they are false.
      if ((id === 7 || id === 8) && type === 2) exact = false;
      return false;
    }
    return true;
  });
  if (nulls === undefined) return undefined;
  return { min: exact ? bounds.min : undefined, max: exact ? bounds.max : undefined, nulls };
}
