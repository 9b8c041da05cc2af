import { z } from "zod";
import { idText } from "../../../src/api/file-fields.js";
import { getUser } from "../../../src/api/operations/user.js";
import { uniqueIn } from "../../../src/domain/row-problem.js";
import type { BulkJob } from "../../../src/jobs/job.js";

interface UserRow {
  readonly fp_id: string;
}

/** All that a new bulk job needs: docs/inside/architecture.md, "A new bulk job". It counts the fields of users. */
export const userFieldsJob: BulkJob<UserRow, { readonly fields: number; readonly asked: number }> = {
  kind: "fields",
  file: { name: "roster", option: "--roster" },
  row: z.object({ fp_id: idText }),
  unique: uniqueIn("fp_id"),
  owner: ({ fp_id }) => fp_id,
  effect: false,
  groupRows: 100,
  async work(rows, caller) {
    const fp_id = rows[0]?.row.fp_id ?? "";
    const { body, asked } = await caller.once("user", getUser, { path: { fp_id } });
    return { fields: Object.keys(body).length, asked };
  },
  tables: [
    {
      name: "user_fields",
      columns: [
        { name: "run_id", type: "VARCHAR" },
        { name: "fp_id", type: "VARCHAR" },
        { name: "fields", type: "BIGINT" },
        { name: "reason", type: "VARCHAR" },
        { name: "sentence", type: "VARCHAR", encrypted: true },
      ],
    },
  ],
  rows: ({ runId }, { rows, result, reason }) => ({
    user_fields: rows.map(({ row }) => ({
      run_id: runId,
      fp_id: row.fp_id,
      fields: result?.fields ?? null,
      reason,
      sentence: result && `${row.fp_id} has ${result.fields} fields`,
    })),
  }),
};
