import type { TableSpec } from "../delta/delta-schema.js";
import { bigint, timestamptz, varchar } from "./columns.js";

/** One row per failure of a run that has no row in another table (docs/use/tables.md, "run_failures"). */
export const runFailures = {
  name: "run_failures",
  columns: [
    ...varchar("run_id", "stream"),
    ...bigint("line"),
    ...varchar("owner", "reason", "message"),
    ...timestamptz("failed_at"),
  ],
} as const satisfies TableSpec;
