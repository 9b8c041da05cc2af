import { randomUUID } from "node:crypto";
import type { TableSpec } from "../../../src/lake/delta/delta-schema.js";
import type { Lake } from "../../../src/lake/lake.js";
import { appendOnce } from "../../../src/lake/tables/append.js";
import { writeRows } from "../../../src/lake/tables/parquet-file.js";

/** Appends rows to a table, which it makes where there is none, in a commit and files of their own. */
export function appendRows(
  lake: Lake,
  spec: TableSpec,
  rows: Parameters<typeof writeRows>[3],
): Promise<unknown> {
  const name = randomUUID();
  return appendOnce(lake, spec, name, () => writeRows(lake, spec, name, rows));
}
