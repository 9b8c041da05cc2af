import { z } from "zod";
import { filledText, keyText, optionalText } from "./texts.js";
import { segmentProblem } from "./url-path.js";

// Its transactions are asked for under this id, so one that can't stand in a path is bad here, not there.
const linkId = keyText.refine((id) => segmentProblem(id) === undefined, "can't stand in a path");

/**
 * A bank link (docs/reference/service.md, "Bank links"). Only what a sync can't do without is required: a link whose
 * optional description is odd must not lose its transactions. An unknown `state` passes;
 * `available_products`, `products` and `tags` are kept as JSON, whatever they are.
 */
export const bankLinkSchema = z.looseObject(
  {
    id: linkId,
    fp_id: optionalText,
    created_at: optionalText,
    state: filledText,
    error_code: optionalText,
    external_id: optionalText,
    institution_id: optionalText,
    institution_name: optionalText,
    institution_logo: optionalText,
    provider: optionalText,
  },
  "not an object",
);
