import type { TableSpec } from "../delta/delta-schema.js";
import { bigint, timestamptz, varchar } from "./columns.js";

const WHO = {
  reason: "why, in their own words",
  recorded_by: "who asked for it",
};

export const erasures = {
  name: "erasures",
  about: "Persons whose rows were deleted: one row for each table that had some",
  columns: [
    ...varchar({
      fp_id: "the user",
      state: "`forgotten`, or `again` where a later command reads the user again",
      table_name: "the table; null with `again`, and where no table had rows",
    }),
    ...bigint({ rows: "deleted rows; null with `again`" }),
    ...varchar(WHO),
    ...timestamptz({ recorded_at: "when the row was written" }),
  ],
} as const satisfies TableSpec;

export const holds = {
  name: "holds",
  about: "Legal holds on users: a row when one is set, and one when it is lifted",
  columns: [
    ...varchar({ fp_id: "the user", state: "`held` or `lifted`; the last row of a user counts" }),
    ...varchar(WHO),
    ...timestamptz({ recorded_at: "when the row was written" }),
  ],
} as const satisfies TableSpec;
