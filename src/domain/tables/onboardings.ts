/**
 * The columns of `onboardings`, one row for each line, attempt and version of a batch. The program's records, the
 * table and what is read back from it have their fields from this list; docs/use/tables.md says what they mean.
 */
export const OUTCOME_COLUMNS = [
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
  { name: "output", type: "VARCHAR", encrypted: true },
  { name: "error_class", type: "VARCHAR" },
  { name: "error_message", type: "VARCHAR" },
  { name: "started_at", type: "TIMESTAMPTZ" },
  { name: "settled_at", type: "TIMESTAMPTZ" },
  { name: "settled_by", type: "VARCHAR" },
  { name: "next_action", type: "VARCHAR" },
] as const;

/** The columns of a batch's `outcomes.csv`, in their order. */
export const OUTCOMES_CSV_COLUMNS = [
  ...["line", "kind", "fp_id", "fp_bid", "external_id", "onboarding_id", "playbook_key", "playbook_version"],
  ...["status", "requires_manual_review", "attempt", "version", "started_at", "settled_at", "settled_by"],
  ...["error_class", "error_message", "next_action"],
] as const satisfies readonly (typeof OUTCOME_COLUMNS)[number]["name"][];
