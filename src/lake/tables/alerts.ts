import type { TableSpec } from "../delta/delta-schema.js";
import { timestamptz, varchar } from "./columns.js";

/** One row when an alert is raised, when it ends, and for each delivery (docs/use/tables.md, "alerts"). */
export const alerts = {
  name: "alerts",
  columns: [
    ...varchar("alert_id", "rule", "subject", "state", "message", "action", "run_id", "targets"),
    ...varchar("delivery", "target"),
    ...timestamptz("recorded_at"),
  ],
} as const satisfies TableSpec;
