import { z } from "zod";
import { cursor, pageSize, pathId, rows } from "../schemas/parameters.js";
import { defineOperation } from "./operation.js";

/**
 * GET /bank_links/{link_id}/transactions/sync (docs/reference/service.md, "Sync operation"): one page of a link's
 * change log. Rows of `created` and `updated`: `bankTransactionSchema`; of `removed`: `removedIdSchema`.
 * `cursor.next` may be missing, null or empty while a history is not ready.
 */
export const syncTransactions = defineOperation({
  name: "sync_transactions",
  part: "bank data",
  summary: "Gives what changed in the transactions of a link after a cursor.",
  method: "GET",
  path: "/bank_links/{link_id}/transactions/sync",
  params: {
    path: z.strictObject({ link_id: pathId }),
    query: z.strictObject({ cursor: cursor.optional(), size: pageSize.optional() }),
  },
  response: z.looseObject(
    {
      cursor: z.looseObject({ next: z.string("not text").nullish() }, "not an object").nullish(),
      has_more: z.boolean("not true or false"),
      transactions: z.looseObject({ created: rows, updated: rows, removed: rows }, "not an object"),
    },
    "not an object",
  ),
  auth: "secret_key",
  idempotent: true,
  lostAnswer: "A read: asked again.",
  answer: "`{cursor: {next?}, has_more, transactions: {created, updated, removed}}`",
  notShown:
    "Bounds and default of `size`: any positive integer is sent; a refused one is a `RejectedError`. `cursor.next` may be missing, null or empty while a history is not ready.",
});
