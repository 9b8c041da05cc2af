import type { TableSpec } from "../delta/delta-schema.js";
import { bigint, timestamptz, varchar } from "./columns.js";

/** One row per run, written when it ends, or when a scheduled one could not begin (docs/use/tables.md, "runs"). */
export const runs = {
  name: "runs",
  columns: [
    ...varchar("run_id", "job_id", "kind", "status", "options", "roster_sha256"),
    ...bigint("users", "links", "synced", "unchanged", "skipped", "not_ready", "failed", "created"),
    ...bigint("updated", "removed", "quarantined", "pages", "restarts", "calls"),
    ...timestamptz("started_at", "finished_at"),
    ...varchar("version", "schedule"),
    ...timestamptz("scheduled_at"),
    ...varchar("message"),
    ...bigint("quarantine_open", "superseded", "paused_ms"),
    ...varchar("reason", "lake_root", "lake_root_of"),
    ...bigint("lake_reads", "lake_writes"),
  ],
} as const satisfies TableSpec;

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
