import { strictObject } from "../schemas/fields.js";
import { onboardingPageSchema } from "../schemas/onboarding.js";
import { onboardingListQuery, pathId } from "../schemas/parameters.js";
import { defineRead } from "./operation.js";

const shared = {
  part: "onboarding",
  response: onboardingPageSchema,
  list: { style: "next_page", rows: "data", id: "id" },
  answer: "`{data: [{id, external_id?, playbook_key, status, timestamp}], meta: {next_page?}}`",
  notShown:
    "Default and maximum of `page_size`: any positive integer is sent. The number of the first page: it is requested by leaving `page` out. If `meta` or `next_page` is missing or null, the page is the last one; a `next_page` that was read already is a `SchemaError`.",
} as const;

/** GET /users/{fp_id}/onboardings (docs/reference/service.md, "Onboarding lists"), one page. */
export const listUserOnboardings = defineRead({
  ...shared,
  name: "list_user_onboardings",
  summary: "Lists the onboardings of a user, page by page.",
  path: "/users/{fp_id}/onboardings",
  params: { path: strictObject({ fp_id: pathId }), query: onboardingListQuery },
});

/** GET /businesses/{fp_bid}/onboardings (docs/reference/service.md, "Onboarding lists"), one page. */
export const listBusinessOnboardings = defineRead({
  ...shared,
  name: "list_business_onboardings",
  summary: "Lists the onboardings of a business, page by page.",
  path: "/businesses/{fp_bid}/onboardings",
  params: { path: strictObject({ fp_bid: pathId }), query: onboardingListQuery },
});
