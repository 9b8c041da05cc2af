import type { TableSpec } from "../delta/delta-schema.js";
import { bigint, timestamptz, varchar } from "./columns.js";

const WHO = {
  reason: "why, in their own words",
  recorded_by: "who asked for it",
};

export const erasures = {
  name: "erasures",
  about: "What was erased, persons and expired records: one row for each table that had some",
  columns: [
    ...varchar({
      fp_id: "the user, or the external id of one without; null with `expired`",
      state:
        "`forgotten`; `again` where a later command reads the user again; `expired` where a rule of retention ended",
      table_name: "the table; null with `again`",
    }),
    ...bigint({ rows: "rows that were deleted, or lost values; null with `again`" }),
    ...varchar(WHO),
    ...timestamptz({ recorded_at: "when the row was written" }),
  ],
} as const satisfies TableSpec;

/** Forgotten persons, without those that a later command reads again. */
export const FORGOTTEN_NOW = `select fp_id from erasures where fp_id is not null
  group by fp_id having arg_max(state, recorded_at) = 'forgotten'`;

export const purges = {
  name: "purges",
  about: "What retention left of the rows of certificates: one row for each time that some went",
  columns: [
    ...varchar({ link_id: "the bank link", run_id: "the run of the certificate" }),
    ...bigint({ rows: "rows that are left" }),
    ...varchar({
      rows_sha256: "their hash: Rows of a certificate; null without rows",
      rule: "the rule of retention",
    }),
    ...timestamptz({ recorded_at: "when the row was written, before the others went" }),
  ],
} as const satisfies TableSpec;

export const holds = {
  name: "holds",
  about: "Legal holds on users: a row when one is set, and one when it is lifted",
  columns: [
    ...varchar({ fp_id: "the user", state: "`held` or `lifted`; the last row of a user counts" }),
    ...varchar(WHO),
    ...timestamptz({
      recorded_at:
        "when the row was written; a microsecond after the user's last row where a clock was ahead",
    }),
  ],
} as const satisfies TableSpec;
