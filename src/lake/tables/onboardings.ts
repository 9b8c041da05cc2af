import { OUTCOME_COLUMNS } from "../../domain/tables/onboardings.js";
import type { TableSpec } from "../delta/delta-schema.js";
import { bigint, integer, timestamptz, varchar } from "./columns.js";

/** One row per line, attempt and version of a batch. */
export const onboardings = {
  name: "onboardings",
  columns: [...OUTCOME_COLUMNS],
} as const satisfies TableSpec;

/** Ends a query over one batch: keeps the latest version of the latest attempt of each line. */
export const LATEST_OF_A_LINE =
  "qualify row_number() over (partition by line order by attempt desc, version desc) = 1";

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
