import { listBankLinks } from "../api/operations/bank-data.js";
import { bankLinkSchema } from "../api/schemas/bank-link.js";
import { changes, instant, type Stream } from "./stream.js";

/** GET /users/{fp_id}/bank_links (docs/reference/service.md, "Bank links"), a history of changes. */
export const bankLinkStream: Stream = {
  name: "bank_links",
  operation: listBankLinks,
  per: "user",
  paging: "none",
  lists: [
    {
      name: "links",
      path: ["links"],
      row: bankLinkSchema,
      fields: new Set([...Object.keys(bankLinkSchema.shape), "available_products", "products", "tags"]),
    },
  ],
  pageType: `STRUCT(links STRUCT(id VARCHAR, created_at VARCHAR, state VARCHAR, error_code VARCHAR,
    available_products JSON, products JSON, external_id VARCHAR, institution_id VARCHAR,
    institution_name VARCHAR, institution_logo VARCHAR, provider VARCHAR, tags JSON)[])`,
  ...changes(
    "bank_links",
    "user",
    ["link_id"],
    [
      { name: "link_id", type: "VARCHAR", sql: "l.id" },
      { name: "created_at", type: "TIMESTAMPTZ", sql: instant("l.created_at") },
      { name: "created_at_text", type: "VARCHAR", sql: "l.created_at" },
      { name: "state", type: "VARCHAR", sql: "l.state" },
      { name: "error_code", type: "VARCHAR", sql: "l.error_code" },
      { name: "available_products", type: "VARCHAR", sql: "l.available_products::varchar" },
      { name: "products", type: "VARCHAR", sql: "l.products::varchar" },
      { name: "external_id", type: "VARCHAR", sql: "l.external_id" },
      { name: "institution_id", type: "VARCHAR", sql: "l.institution_id" },
      { name: "institution_name", type: "VARCHAR", sql: "l.institution_name" },
      { name: "institution_logo", type: "VARCHAR", sql: "l.institution_logo" },
      { name: "provider", type: "VARCHAR", sql: "l.provider" },
      { name: "tags", type: "VARCHAR", sql: "l.tags::varchar" },
    ],
    `(select page_no, unnest(links) as l from page) join origin o using (page_no) where l is not null`,
  ),
};
