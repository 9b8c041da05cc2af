import { z } from "zod";
import { day } from "../../api/file-fields.js";
import { flag, type JobKind, listed } from "../kind.js";

export const reconcileKind = {
  kind: "reconcile",
  command: "reconcile",
  description: "compare the lake's transactions and balances with the service's; exit 1 where they differ",
  example: "nightledger reconcile --roster users.csv",
  file: {
    name: "roster",
    option: "--roster",
    columns: "CSV or JSONL file of users (fp_id, optionally external_id)",
  },
  options: z
    .object({
      from: day.optional().describe("<day> first day of the transactions to compare (default: all)"),
      to: day.optional().describe("<day> last day of the transactions to compare (default: all)"),
      links: listed("link id").optional().describe("<ids> compare only these bank links, comma-separated"),
      rows: flag.optional().describe("compare every row, also of accounts whose totals agree"),
    })
    .refine(({ from, to }) => from === undefined || to === undefined || from <= to, {
      path: ["from"],
      error: "is after --to. Exchange the two days",
    }),
  effect: false,
} as const satisfies JobKind;

/** What a reconciliation compares; what is left out has no bound. */
export type ReconcileOptions = z.output<typeof reconcileKind.options>;
