import { looseObject, strictObject } from "../schemas/fields.js";
import { noQuery, pathId, rows } from "../schemas/parameters.js";
import { defineRead } from "./operation.js";

/** GET /users/{fp_id}/bank_links (docs/reference/service.md, "Bank links"); rows: `bankLinkSchema`. */
export const listBankLinks = defineRead({
  name: "list_bank_links",
  part: "bank data",
  summary: "Lists the bank links of a user.",
  path: "/users/{fp_id}/bank_links",
  params: { path: strictObject({ fp_id: pathId }), query: noQuery },
  response: looseObject({ links: rows }),
  answer: "`{links: [bank link]}`",
});
