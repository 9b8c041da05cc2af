import type { TableSpec } from "./lake/delta/delta-schema.js";
import { LAKE_TABLES } from "./lake/tables/index.js";
import { STREAMS } from "./streams/index.js";

/** Every table of a lake, by name. */
export const TABLES: readonly TableSpec[] = [
  ...new Set([...LAKE_TABLES, ...STREAMS.map(({ table }) => table)]),
].sort((a, b) => (a.name < b.name ? -1 : 1));
