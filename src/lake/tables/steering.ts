import type { TableSpec } from "../delta/delta-schema.js";
import { timestamptz, varchar } from "./columns.js";

/** One row per command that somebody gave on the board (docs/use/tables.md, "steering"). */
export const steering = {
  name: "steering",
  columns: [...timestamptz("requested_at"), ...varchar("requested_by", "command", "reason")],
} as const satisfies TableSpec;
