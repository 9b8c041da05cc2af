import type { TableSpec } from "../delta/delta-schema.js";

/** What failed in a run and has no row of its own elsewhere (docs/use/tables.md, "run_failures"). */
export const runFailures = {
  name: "run_failures",
  columns: [
    { name: "run_id", type: "VARCHAR" },
    { name: "stream", type: "VARCHAR" },
    { name: "line", type: "BIGINT" },
    { name: "owner", type: "VARCHAR" },
    { name: "reason", type: "VARCHAR" },
    { name: "message", type: "VARCHAR" },
    { name: "failed_at", type: "TIMESTAMPTZ" },
  ],
} as const satisfies TableSpec;
