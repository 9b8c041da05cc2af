import type { TableSpec } from "./lake/delta/delta-schema.js";
import { currentOf, isHistory } from "./lake/history/history-spec.js";
import { LAKE_TABLES } from "./lake/tables/index.js";
import { STREAMS } from "./streams/index.js";

const STREAM_TABLES = STREAMS.map(({ table }) => table);

export const TABLES: readonly TableSpec[] = [
  ...new Set([...LAKE_TABLES, ...STREAM_TABLES, ...STREAM_TABLES.filter(isHistory).map(currentOf)]),
].sort((a, b) => (a.name < b.name ? -1 : 1));
