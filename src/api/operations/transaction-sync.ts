import { anyText, flag, looseObject, strictObject } from "../schemas/fields.js";
import { cursor, pathId, positive, rows } from "../schemas/parameters.js";
import { defineRead } from "./operation.js";

/**
 * GET /bank_links/{link_id}/transactions/sync (docs/reference/service.md, "Sync operation"): one page of a link's
 * change log. Rows of `created` and `updated`: `bankTransactionSchema`; of `removed`: `removedIdSchema`.
 * `cursor.next` may be missing, null or empty while a history is not ready.
 */
export const syncTransactions = defineRead({
  name: "sync_transactions",
  part: "bank data",
  summary: "Lists what changed in the transactions of a link after a cursor.",
  path: "/bank_links/{link_id}/transactions/sync",
  params: {
    path: strictObject({ link_id: pathId }),
    query: strictObject({ cursor: cursor.optional(), size: positive.optional() }),
  },
  response: looseObject({
    cursor: looseObject({ next: anyText.nullish() }).nullish(),
    has_more: flag,
    transactions: looseObject({ created: rows, updated: rows, removed: rows }),
  }),
  answer: "`{cursor: {next?}, has_more, transactions: {created, updated, removed}}`",
  notShown:
    "Bounds and default of `size`: any positive integer is sent; a refused one is a `RejectedError`. `cursor.next` may be missing, null or empty while a history is not ready.",
});
