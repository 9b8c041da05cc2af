import { z } from "zod";
import { idText, ownIdText } from "./fields.js";
import { uniqueIn } from "./job.js";

/** A row about one user; kinds of jobs may know more columns. */
export const userRow = z.object({ fp_id: idText, external_id: ownIdText.optional() });

export type UserRow = z.output<typeof userRow>;

/** What kinds of jobs with a row for each user declare. */
export const rowPerUser = {
  unique: uniqueIn("fp_id"),
  owner: ({ fp_id }: UserRow) => fp_id,
};
