import type { TableSpec } from "../delta/delta-schema.js";

/** One row a line, attempt and version of a batch. */
export const onboardings = {
  name: "onboardings",
  columns: [
    { name: "batch_id", type: "VARCHAR" },
    { name: "run_id", type: "VARCHAR" },
    { name: "line", type: "BIGINT" },
    { name: "attempt", type: "INTEGER" },
    { name: "version", type: "INTEGER" },
    { name: "kind", type: "VARCHAR" },
    { name: "fp_id", type: "VARCHAR" },
    { name: "fp_bid", type: "VARCHAR" },
    { name: "external_id", type: "VARCHAR" },
    { name: "onboarding_id", type: "VARCHAR" },
    { name: "playbook_key", type: "VARCHAR" },
    { name: "playbook_version", type: "INTEGER" },
    { name: "status", type: "VARCHAR" },
    { name: "requires_manual_review", type: "BOOLEAN" },
    { name: "output", type: "VARCHAR" },
    { name: "error_class", type: "VARCHAR" },
    { name: "error_message", type: "VARCHAR" },
    { name: "started_at", type: "TIMESTAMPTZ" },
    { name: "settled_at", type: "TIMESTAMPTZ" },
    { name: "settled_by", type: "VARCHAR" },
    { name: "next_action", type: "VARCHAR" },
  ],
} as const satisfies TableSpec;

/** Ends a query over one batch: of each line the latest version of the latest attempt. */
export const LATEST_OF_A_LINE =
  "qualify row_number() over (partition by line order by attempt desc, version desc) = 1";
