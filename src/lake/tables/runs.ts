import type { TableSpec } from "../delta/delta-schema.js";

/** One row a run, written when it ends (docs/tables.md, "runs"). */
export const runs = {
  name: "runs",
  columns: [
    { name: "run_id", type: "VARCHAR" },
    { name: "job_id", type: "VARCHAR" },
    { name: "kind", type: "VARCHAR" },
    { name: "status", type: "VARCHAR" },
    { name: "options", type: "VARCHAR" },
    { name: "roster_sha256", type: "VARCHAR" },
    { name: "users", type: "BIGINT" },
    { name: "links", type: "BIGINT" },
    { name: "synced", type: "BIGINT" },
    { name: "unchanged", type: "BIGINT" },
    { name: "skipped", type: "BIGINT" },
    { name: "not_ready", type: "BIGINT" },
    { name: "failed", type: "BIGINT" },
    { name: "created", type: "BIGINT" },
    { name: "updated", type: "BIGINT" },
    { name: "removed", type: "BIGINT" },
    { name: "quarantined", type: "BIGINT" },
    { name: "pages", type: "BIGINT" },
    { name: "restarts", type: "BIGINT" },
    { name: "calls", type: "BIGINT" },
    { name: "started_at", type: "TIMESTAMPTZ" },
    { name: "finished_at", type: "TIMESTAMPTZ" },
    { name: "version", type: "VARCHAR" },
    { name: "schedule", type: "VARCHAR" },
    { name: "scheduled_at", type: "TIMESTAMPTZ" },
    { name: "message", type: "VARCHAR" },
  ],
} as const satisfies TableSpec;
