import type { TableSpec } from "../delta/delta-schema.js";

/** Alerts as they are raised and over, and what became of each message (docs/use/tables.md, "alerts"). */
export const alerts = {
  name: "alerts",
  columns: [
    { name: "alert_id", type: "VARCHAR" },
    { name: "rule", type: "VARCHAR" },
    { name: "subject", type: "VARCHAR" },
    { name: "state", type: "VARCHAR" },
    { name: "message", type: "VARCHAR" },
    { name: "action", type: "VARCHAR" },
    { name: "run_id", type: "VARCHAR" },
    { name: "targets", type: "VARCHAR" },
    { name: "delivery", type: "VARCHAR" },
    { name: "target", type: "VARCHAR" },
    { name: "recorded_at", type: "TIMESTAMPTZ" },
  ],
} as const satisfies TableSpec;
