import { listBankLinks } from "../api/operations/bank-links.js";
import { bankLinkSchema } from "../api/schemas/bank-link.js";
import type { Stream } from "../lake/sync/stream.js";
import { bankLinks } from "../lake/tables/bank-links.js";
import { instant } from "./sql.js";

const FIELDS = new Set([...Object.keys(bankLinkSchema.shape), "available_products", "products", "tags"]);

/** GET /users/{fp_id}/bank_links into `bank_links`, an observation a run (docs/service.md, "Bank links"). */
export const bankLinkStream: Stream = {
  name: "bank_links",
  envelope: listBankLinks.response,
  lists: [{ name: "links", path: ["links"], row: bankLinkSchema, fields: FIELDS }],
  table: bankLinks,
  pageType: `STRUCT(links STRUCT(id VARCHAR, created_at VARCHAR, state VARCHAR, error_code VARCHAR,
    available_products JSON, products JSON, external_id VARCHAR, institution_id VARCHAR,
    institution_name VARCHAR, institution_logo VARCHAR, provider VARCHAR, tags JSON)[])`,
  projection: `
    select o.run_id, o.fetched_at as observed_at, o.fp_id, l.id as link_id,
      ${instant("l.created_at")} as created_at, l.created_at as created_at_text, l.state as state,
      l.error_code as error_code, l.available_products::varchar as available_products,
      l.products::varchar as products, l.external_id as external_id, l.institution_id as institution_id,
      l.institution_name as institution_name, l.institution_logo as institution_logo,
      l.provider as provider, l.tags::varchar as tags
    from (select page_no, unnest(links) as l from page) join origin o using (page_no)
    where l is not null`,
};
