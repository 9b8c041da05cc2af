import { z } from "zod";
import { noQuery, pathId, rows } from "../schemas/parameters.js";
import { defineOperation } from "./operation.js";

/** GET /bank_links/{link_id}/accounts (docs/reference/service.md, "Bank accounts"); rows: `bankAccountSchema`. */
export const listLinkAccounts = defineOperation({
  name: "list_link_accounts",
  part: "bank data",
  summary: "Lists the bank accounts of a link.",
  method: "GET",
  path: "/bank_links/{link_id}/accounts",
  params: { path: z.strictObject({ link_id: pathId }), query: noQuery },
  response: z.looseObject({ accounts: rows }, "not an object"),
  auth: "secret_key",
  idempotent: true,
  lostAnswer: "A read: asked again.",
  answer: "`{accounts: [bank account]}`",
});
