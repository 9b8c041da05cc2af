import type { TableSpec } from "../delta/delta-schema.js";

/** What happened to the rows of batches; it also says under which key each was posted. */
export const onboardingEvents = {
  name: "onboarding_events",
  columns: [
    { name: "batch_id", type: "VARCHAR" },
    { name: "run_id", type: "VARCHAR" },
    { name: "line", type: "BIGINT" },
    { name: "attempt", type: "INTEGER" },
    { name: "version", type: "INTEGER" },
    { name: "row_key", type: "VARCHAR" },
    { name: "event", type: "VARCHAR" },
    { name: "status", type: "VARCHAR" },
    { name: "onboarding_id", type: "VARCHAR" },
    { name: "message_id", type: "VARCHAR" },
    { name: "at", type: "TIMESTAMPTZ" },
    { name: "detail", type: "VARCHAR" },
  ],
} as const satisfies TableSpec;
