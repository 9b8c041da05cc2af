import { z } from "zod";
import { flag, type JobKind, wholeNumber } from "../kind.js";

export const importKind = {
  kind: "import",
  command: "import",
  description:
    "import transactions from a file into bank links, each exactly once; the same file again posts nothing",
  example: "nightledger import --transactions rows.csv",
  file: {
    name: "transactions file",
    option: "--transactions",
    rows: "transactions",
    columns:
      "CSV or JSONL file: link_id, account_id, amount, date, optionally description, transaction_id, transaction_type",
  },
  options: z.object({
    chunk: wholeNumber(1, 5_000).default(500).describe("<rows> rows per request, at most 5,000"),
    send_unknown: flag
      .optional()
      .describe(
        "resend rows whose fate an earlier run could not determine; check first with `import verify`",
      ),
  }),
  effect: true,
} as const satisfies JobKind;

export type ImportOptions = z.output<typeof importKind.options>;
