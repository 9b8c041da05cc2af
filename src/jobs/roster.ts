import type { UserRow } from "../api/file-fields.js";
import { uniqueIn } from "../domain/row-problem.js";

/** What kinds of jobs with a row for each user declare. */
export const rowPerUser = {
  unique: uniqueIn("fp_id"),
  owner: ({ fp_id }: UserRow) => fp_id,
};
