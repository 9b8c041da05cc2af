import { z } from "zod";
import { noQuery, pathId, rows } from "../schemas/parameters.js";
import { defineOperation } from "./operation.js";

/** GET /users/{fp_id}/bank_links (docs/reference/service.md, "Bank links"); rows: `bankLinkSchema`. */
export const listBankLinks = defineOperation({
  name: "list_bank_links",
  part: "bank data",
  summary: "Lists the bank links of a user.",
  method: "GET",
  path: "/users/{fp_id}/bank_links",
  params: { path: z.strictObject({ fp_id: pathId }), query: noQuery },
  response: z.looseObject({ links: rows }, "not an object"),
  auth: "secret_key",
  idempotent: true,
  lostAnswer: "A read: asked again.",
  answer: "`{links: [bank link]}`",
});
