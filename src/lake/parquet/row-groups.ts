import { type FileHandle, open } from "node:fs/promises";
import { DAY } from "../../domain/duration.js";
import { type StatsColumn, statsText } from "../delta/delta-stats.js";
import { unpublished } from "../store/local/local-store-errors.js";
import { CUT_BYTES, type WrittenFile } from "../tables/parquet-file.js";
import { copyStruct, ThriftReader, ThriftWriter } from "./compact-thrift.js";
import type { ParquetFooter, RowGroup } from "./parquet-footer.js";

const MAGIC = Buffer.from("PAR1");
const COPIED_AT_ONCE = 1024 * 1024;

/**
 * Writes row groups as one file without decoding them: copies their bytes, and writes a footer with their new positions by
 * that of `like`, without Bloom filters and page indexes. @throws StoreFullError on a full disk.
 */
export async function writeRowGroups(
  groups: readonly RowGroup[],
  like: ParquetFooter,
  path: string,
): Promise<WrittenFile> {
  const target = await open(path, "wx");
  try {
    await target.writeFile(MAGIC);
    const starts = await copyGroups(target, groups);
    const footer = footerOf(groups, starts, like);
    const length = Buffer.alloc(4);
    length.writeUInt32LE(footer.length);
    await target.writeFile(Buffer.concat([footer, length, MAGIC]));
  } catch (error) {
    throw unpublished(error, path);
  } finally {
    await target.close();
  }
  return { path, ...factsOfGroups(groups) };
}

/** Sums up the rows of some row groups, and their statistics for the log. */
export function factsOfGroups(groups: readonly RowGroup[]): { rows: number; stats: string } {
  const rows = groups.reduce((sum, group) => sum + group.rows, 0);
  const columns = COLUMNS.map(
    ([name, compare, text]) => [name, bounds(groups, name, compare, text)] as const,
  );
  return { rows, stats: statsText(rows, Object.fromEntries(columns)) };
}

/** Copies row groups, neighbours in one file together, and returns where each begins in the target. */
async function copyGroups(target: FileHandle, groups: readonly RowGroup[]): Promise<number[]> {
  const buffer = Buffer.allocUnsafe(COPIED_AT_ONCE);
  const starts: number[] = [];
  let end = MAGIC.length;
  for (let at = 0; at < groups.length; ) {
    const first = groups[at] as RowGroup;
    let bytes = 0;
    for (let next = groups[at]; isAfter(first, bytes, next); next = groups[at]) {
      starts.push(end + bytes);
      bytes += next.bytes;
      at += 1;
    }
    await copyRange(first.path, first.from, bytes, target, buffer);
    end += bytes;
  }
  return starts;
}

function isAfter(first: RowGroup, bytes: number, next: RowGroup | undefined): next is RowGroup {
  return next !== undefined && next.path === first.path && next.from === first.from + bytes;
}

async function copyRange(path: string, from: number, bytes: number, target: FileHandle, buffer: Buffer) {
  const source = await open(path);
  try {
    for (let done = 0; done < bytes; ) {
      const { bytesRead } = await source.read(buffer, 0, Math.min(buffer.length, bytes - done), from + done);
      if (bytesRead === 0) throw new Error(`${path} ended ${bytes - done} bytes early while it was copied.`);
      await target.writeFile(buffer.subarray(0, bytesRead));
      done += bytesRead;
    }
  } finally {
    await source.close();
  }
}

/** Field numbers are those of `parquet.thrift`. */
function footerOf(groups: readonly RowGroup[], starts: readonly number[], like: ParquetFooter): Buffer {
  const writer = new ThriftWriter();
  copyStruct(new ThriftReader(like.bytes), writer, {
    3: (reader) => {
      reader.integer();
      writer.integer(groups.reduce((sum, group) => sum + group.rows, 0));
    },
    4: (reader) => {
      reader.skip(LIST);
      writer.list(groups.length, STRUCT);
      for (const [at, group] of groups.entries()) {
        copyGroup(new ThriftReader(group.footer), writer, (starts[at] as number) - group.from);
      }
    },
  });
  return writer.written();
}

const LIST = 9;
const STRUCT = 12;

function copyGroup(group: ThriftReader, writer: ThriftWriter, by: number): void {
  const moved = (reader: ThriftReader) => {
    const offset = reader.integer();
    writer.integer(offset > 0 ? offset + by : 0);
  };
  const column = { 9: moved, 10: moved, 11: moved, 14: LEFT_OUT, 15: LEFT_OUT } as const;
  const chunk = {
    2: moved,
    3: (reader: ThriftReader) => copyStruct(reader, writer, column),
    ...{ 4: LEFT_OUT, 5: LEFT_OUT, 6: LEFT_OUT, 7: LEFT_OUT },
  } as const;
  copyStruct(group, writer, {
    1: (reader) => {
      const { size, type } = reader.list();
      writer.list(size, type);
      for (let left = size; left > 0; left -= 1) copyStruct(reader, writer, chunk);
    },
    5: moved,
    // The row group's number in its file.
    7: LEFT_OUT,
  });
}

const LEFT_OUT = "left out" as const;

type Compare = (a: Buffer, b: Buffer) => number;
type BoundText = (value: Buffer) => string | bigint | null;

const COLUMNS: readonly (readonly [StatsColumn, Compare, BoundText])[] = [
  ["link_id", Buffer.compare, (value) => (value.length < CUT_BYTES ? value.toString() : null)],
  ["date", (a, b) => a.readInt32LE() - b.readInt32LE(), (value) => dayText(value.readInt32LE())],
  ["sequence", (a, b) => Number(a.readBigInt64LE() - b.readBigInt64LE()), (value) => value.readBigInt64LE()],
];

function bounds(groups: readonly RowGroup[], column: string, compare: Compare, text: BoundText) {
  let nullCount = 0;
  let known = true;
  let min: Buffer | undefined;
  let max: Buffer | undefined;
  for (const { rows, bounds: of } of groups) {
    const one = of.get(column);
    nullCount += one?.nulls ?? rows;
    if (one === undefined || one.nulls === rows) continue;
    if (one.min === undefined || one.max === undefined) known = false;
    else {
      if (min === undefined || compare(one.min, min) < 0) min = one.min;
      if (max === undefined || compare(one.max, max) > 0) max = one.max;
    }
  }
  const bound = (value: Buffer | undefined) => (known && value !== undefined ? text(value) : null);
  return { min: bound(min), max: bound(max), nullCount };
}

/** Writes a day with a four-digit year as ISO text; null for any other. */
function dayText(days: number): string | null {
  const ms = days * DAY;
  if (Math.abs(ms) > 8.64e15) return null;
  const [text = ""] = new Date(ms).toISOString().split("T");
  return /^\d{4}-/.test(text) && !text.startsWith("0000") ? text : null;
}
