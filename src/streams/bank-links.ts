import { listBankLinks } from "../api/operations/bank-data.js";
import { bankLinkSchema } from "../api/schemas/bank-link.js";
import { knownFields, rowType } from "./row-shape.js";
import { changes, instant, type Stream } from "./stream.js";

const TEXT = "VARCHAR";
/** `fp_id` has a column too, filled with the user who was asked for. */
const ROW = {
  ...{ id: TEXT, fp_id: TEXT, created_at: TEXT, state: TEXT, error_code: TEXT },
  ...{ available_products: "JSON", products: "JSON", external_id: TEXT, institution_id: TEXT },
  ...{ institution_name: TEXT, institution_logo: TEXT, provider: TEXT, tags: "JSON" },
};

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
      fields: knownFields(ROW),
    },
  ],
  pageType: `STRUCT(links ${rowType(ROW)}[])`,
  ...changes(
    "bank_links",
    "user",
    ["link_id"],
    [
      { name: "link_id", type: "VARCHAR", sql: "r.id" },
      { name: "created_at", type: "TIMESTAMPTZ", sql: instant("r.created_at") },
      { name: "created_at_text", type: "VARCHAR", sql: "r.created_at" },
      { name: "state", type: "VARCHAR", sql: "r.state" },
      { name: "error_code", type: "VARCHAR", sql: "r.error_code" },
      { name: "available_products", type: "VARCHAR", sql: "r.available_products::varchar" },
      { name: "products", type: "VARCHAR", sql: "r.products::varchar" },
      { name: "external_id", type: "VARCHAR", sql: "r.external_id" },
      { name: "institution_id", type: "VARCHAR", sql: "r.institution_id" },
      { name: "institution_name", type: "VARCHAR", sql: "r.institution_name" },
      { name: "institution_logo", type: "VARCHAR", sql: "r.institution_logo" },
      { name: "provider", type: "VARCHAR", sql: "r.provider" },
      { name: "tags", type: "VARCHAR", sql: "r.tags::varchar" },
    ],
    "links",
  ),
};
