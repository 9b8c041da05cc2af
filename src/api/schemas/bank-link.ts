import { each, filledText, keyText, looseObject, optionalText } from "./fields.js";
import { segmentProblem } from "./url-path.js";

// The id becomes a path segment when transactions are read, so it is checked here.
const linkId = keyText.refine((id) => segmentProblem(id) === undefined, "can't be part of a path");

/**
 * A bank link (docs/reference/service.md, "Bank links"). Only what a sync needs is required: a link with an
 * odd optional field must not lose its transactions. An unknown `state` passes;
 * `available_products`, `products` and `tags` are kept as JSON, whatever they are.
 */
export const bankLinkSchema = looseObject({
  id: linkId,
  state: filledText,
  ...each(optionalText, "fp_id", "created_at", "error_code", "external_id", "provider"),
  ...each(optionalText, "institution_id", "institution_name", "institution_logo"),
});
