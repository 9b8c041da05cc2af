/** The columns of `onboardings` (docs/use/tables.md): records, table and readers take their fields from here. */
export const OUTCOME_COLUMNS = [
  { name: "batch_id", type: "VARCHAR", about: "the same for the same file, playbook and mode" },
  { name: "run_id", type: "VARCHAR", about: "the run that wrote the row" },
  { name: "line", type: "BIGINT", about: "line of the customers file at which the row begins, from 1" },
  { name: "attempt", type: "INTEGER", about: "from 1" },
  { name: "version", type: "INTEGER", about: "of the attempt's outcome, from 1" },
  { name: "kind", type: "VARCHAR", about: "`user` or `business`" },
  { name: "fp_id", type: "VARCHAR", about: "of a user, as the file gave it" },
  { name: "fp_bid", type: "VARCHAR", about: "of a business, as given or issued" },
  { name: "external_id", type: "VARCHAR", about: "yours" },
  { name: "onboarding_id", type: "VARCHAR", about: "null if nothing was posted, or the answer was lost" },
  { name: "playbook_key", type: "VARCHAR", about: "without the version tag" },
  { name: "playbook_version", type: "INTEGER", about: "the one pinned, else the one of an event" },
  { name: "status", type: "VARCHAR", about: "what came of the row" },
  { name: "requires_manual_review", type: "BOOLEAN", about: "a reviewer has to decide it" },
  {
    name: "output",
    type: "VARCHAR",
    encrypted: true,
    about: "what the playbook's output node gave, encrypted",
  },
  { name: "error_class", type: "VARCHAR", about: "the class of the error" },
  {
    name: "error_message",
    type: "VARCHAR",
    about: "what the service said, with values of the row as `[value]`",
  },
  { name: "started_at", type: "TIMESTAMPTZ", about: "when its first call was made" },
  { name: "settled_at", type: "TIMESTAMPTZ", about: "when its status was learned" },
  { name: "settled_by", type: "VARCHAR", about: "`sync`, `webhook`, `poll` or `validation`" },
  { name: "next_action", type: "VARCHAR", about: "what somebody has to do now; null for nothing" },
  { name: "expires_at", type: "TIMESTAMPTZ", about: "when it is no longer waited for; null where it is not" },
] as const;

export const OUTCOMES_CSV_COLUMNS = [
  ...["line", "kind", "fp_id", "fp_bid", "external_id", "onboarding_id", "playbook_key", "playbook_version"],
  ...["status", "requires_manual_review", "attempt", "version", "started_at", "settled_at", "settled_by"],
  ...["error_class", "error_message", "next_action"],
] as const satisfies readonly (typeof OUTCOME_COLUMNS)[number]["name"][];
