import type { TableSpec } from "../delta/delta-schema.js";
import { bigint, integer, timestamptz, varchar } from "./columns.js";

/** One row per event of a batch's row; it also names the key under which the row was posted. */
export const onboardingEvents = {
  name: "onboarding_events",
  columns: [
    ...varchar("batch_id", "run_id"),
    ...bigint("line"),
    ...integer("attempt", "version"),
    ...varchar("row_key", "event", "status", "onboarding_id", "message_id"),
    ...timestamptz("at"),
    ...varchar("detail"),
  ],
} as const satisfies TableSpec;
