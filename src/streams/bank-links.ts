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
    {
      link_id: ["VARCHAR", "r.id", "the bank link"],
      created_at: ["TIMESTAMPTZ", instant("r.created_at"), "as an instant, if the text has an offset"],
      created_at_text: ["VARCHAR", "r.created_at", "what the service gave"],
      state: ["VARCHAR", "r.state", "`connecting`, `connected`, `deleted`, `error`, or one that is new"],
      error_code: ["VARCHAR", "r.error_code", "with state `error`"],
      available_products: ["VARCHAR", "r.available_products::varchar", "JSON array"],
      products: ["VARCHAR", "r.products::varchar", "JSON object: last attempt and refresh of each"],
      external_id: ["VARCHAR", "r.external_id", "yours"],
      institution_id: ["VARCHAR", "r.institution_id", "the bank"],
      institution_name: ["VARCHAR", "r.institution_name", "its name"],
      institution_logo: ["VARCHAR", "r.institution_logo", "address of its logo"],
      provider: ["VARCHAR", "r.provider", "data provider"],
      tags: ["VARCHAR", "r.tags::varchar", "JSON array"],
    },
    "links",
    { about: "Bank links as they were observed, whatever their state" },
  ),
};
