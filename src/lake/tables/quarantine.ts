import type { TableSpec } from "../delta/delta-schema.js";
import { bigint, timestamptz, varchar } from "./columns.js";

export const quarantine = {
  name: "quarantine",
  about: "Rows that could not be loaded without guessing, as the service sent them",
  columns: [
    ...varchar({ run_id: "the run that wrote the row" }),
    ...varchar({ stream: "`transactions`, `accounts` or `bank_links`", fp_id: "the user" }),
    ...varchar({ link_id: "the bank link; null for accounts and links" }),
    ...bigint({ page: "page of the attempt, from 0", index: "place in the list, from 0" }),
    ...varchar({ list: "`created`, `updated`, `removed`, `accounts`, `links`" }),
    ...varchar({ reason: "field and rule, never the value", payload: "the row's own JSON text" }),
    ...timestamptz({ fetched_at: "when the response arrived; the same after a repeated load" }),
  ],
} as const satisfies TableSpec;

export const quarantineResolutions = {
  name: "quarantine_resolutions",
  about: "The bad rows that a list of a user, read again, or a person has closed",
  columns: [
    ...varchar({ row_id: "first 12 hex digits of the sha256 of the row's place" }),
    ...varchar({ run_id: "of the bad row, as the columns up to `list`", stream: "as in `quarantine`" }),
    ...varchar({ fp_id: "as in `quarantine`", link_id: "as in `quarantine`" }),
    ...bigint({ page: "as in `quarantine`", index: "as in `quarantine`" }),
    ...varchar({ list: "as in `quarantine`", resolved_by: "`reading` or `person`: open rows" }),
    ...varchar({ reason: "the reason that a person gave; null for `reading`" }),
    ...timestamptz({ resolved_at: "when it was recorded" }),
  ],
} as const satisfies TableSpec;
