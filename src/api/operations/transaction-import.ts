import { amount, isoDate, nonBlankText } from "../schemas/body-fields.js";
import { anyText, listOf, strictObject } from "../schemas/fields.js";
import { emptyAnswer, noQuery, pathId } from "../schemas/parameters.js";
import { defineOperation } from "./operation.js";

const row = strictObject({
  account_id: nonBlankText.describe("the service's id of the account"),
  amount,
  date: isoDate,
  description: anyText.optional(),
  transaction_id: nonBlankText.optional(),
  transaction_type: nonBlankText.optional(),
});

/** POST /bank_links/{link_id}/import/transactions (docs/reference/service.md, "Transaction import"). */
export const importTransactions = defineOperation({
  name: "import_transactions",
  part: "bank data",
  summary: "Imports transactions into a link; they come back through `sync_transactions`.",
  method: "POST",
  path: "/bank_links/{link_id}/import/transactions",
  params: {
    path: strictObject({ link_id: pathId }),
    query: noQuery,
    body: strictObject({
      transactions: listOf(row)
        .nonempty("empty")
        .describe(
          "a list of {account_id, amount (decimal text), date (ISO 8601), description?, transaction_id?, transaction_type?}",
        ),
    }),
  },
  response: emptyAnswer,
  answers: "nothing",
  auth: "secret_key",
  idempotent: false,
  lostAnswer:
    "Not sent again as a whole: the answer does not report single rows. The link is read and the rows are looked up by `account_id` and `transaction_id`; missing rows are sent again, and rows without a `transaction_id` are reported as *unknown*, by their positions.",
  answer: "`{}`",
  notShown:
    "What the service does with a `transaction_id` that it has already, and how many rows a request may hold.",
});
