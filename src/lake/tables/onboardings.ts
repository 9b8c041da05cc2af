import { OUTCOME_COLUMNS } from "../../domain/tables/onboardings.js";
import type { TableSpec } from "../delta/delta-schema.js";
import { bigint, integer, timestamptz, varchar } from "./columns.js";

export const onboardings = {
  name: "onboardings",
  about: "Outcomes of the customers of a batch: one row for each line, attempt and version",
  columns: [...OUTCOME_COLUMNS],
} as const satisfies TableSpec;

/** The latest version of the latest attempt of each line. */
export const LATEST_OF_A_LINE =
  "qualify row_number() over (partition by batch_id, line order by attempt desc, version desc) = 1";

export const onboardingEvents = {
  name: "onboarding_events",
  about: "What happened to the rows of batches, and the key under which each row was posted",
  columns: [
    ...varchar({ batch_id: "the batch", run_id: "the run that wrote the row" }),
    ...bigint({ line: "line of the customers file" }),
    ...integer({ attempt: "as in `onboardings`", version: "as in `onboardings`" }),
    ...varchar({
      row_key: "hash of kind, identity, content, playbook and mode",
      event: "`recorded`, `adopted` (another batch's outcome was reused), or what brought a later version",
      status: "the row's status afterwards",
      onboarding_id: "the onboarding; null if there is none",
      message_id: "of the webhook that brought it",
    }),
    ...timestamptz({ at: "when it happened" }),
    ...varchar({ detail: "what happened, without personal data" }),
  ],
} as const satisfies TableSpec;
