import { z } from "zod";
import { amount, isoDate, saidText } from "../schemas/body-fields.js";
import { emptyAnswer, noQuery, pathId } from "../schemas/parameters.js";
import { defineOperation } from "./operation.js";

const row = z.strictObject(
  {
    account_id: saidText.describe("the service's id of the account"),
    amount,
    date: isoDate,
    description: z.string("not text").optional(),
    transaction_id: saidText.optional(),
    transaction_type: saidText.optional(),
  },
  "not an object",
);

/** POST /bank_links/{link_id}/import/transactions (docs/reference/service.md, "Transaction import"). */
export const importTransactions = defineOperation({
  name: "import_transactions",
  part: "bank data",
  summary: "Brings transactions into a link; they come back through `sync_transactions`.",
  method: "POST",
  path: "/bank_links/{link_id}/import/transactions",
  params: {
    path: z.strictObject({ link_id: pathId }),
    query: noQuery,
    body: z.strictObject(
      {
        transactions: z
          .array(row, "not a list")
          .nonempty("empty")
          .describe(
            "a list of {account_id, amount (decimal text), date (ISO 8601), description?, transaction_id?, transaction_type?}",
          ),
      },
      "not an object",
    ),
  },
  response: emptyAnswer,
  auth: "secret_key",
  idempotent: false,
  lostAnswer:
    "Not repeated by itself: the answer says nothing of single rows. The link is synced and the rows looked for by `account_id` and `transaction_id`; those that are not there are sent again, rows without a `transaction_id` are left as *unknown* and told by their places.",
  answer: "`{}`",
  notShown: "What a `transaction_id` that is there already does, and how many rows a request may hold.",
});
