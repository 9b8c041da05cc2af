import { z } from "zod";
import { onboardingPageSchema } from "../schemas/onboarding.js";
import { onboardingListQuery, pathId } from "../schemas/parameters.js";
import { defineOperation } from "./operation.js";

const shared = {
  part: "onboarding",
  method: "GET",
  response: onboardingPageSchema,
  list: { style: "next_page", rows: "data", id: "id" },
  auth: "secret_key",
  idempotent: true,
  lostAnswer: "A read: asked again.",
  answer: "`{data: [{id, external_id?, playbook_key, status, timestamp}], meta: {next_page?}}`",
  notShown:
    "Default and maximum of `page_size`: any positive integer is sent. The number of the first page: `readList` asks for it by leaving `page` out. `meta` or `next_page` missing or null means that it was the last page; a `next_page` that was read already is a `SchemaError`.",
} as const;

/** GET /users/{fp_id}/onboardings (docs/reference/service.md, "Onboarding lists"), one page. */
export const listUserOnboardings = defineOperation({
  ...shared,
  name: "list_user_onboardings",
  summary: "Lists the onboardings of a user, page by page.",
  path: "/users/{fp_id}/onboardings",
  params: { path: z.strictObject({ fp_id: pathId }), query: onboardingListQuery },
});

/** GET /businesses/{fp_bid}/onboardings (docs/reference/service.md, "Onboarding lists"), one page. */
export const listBusinessOnboardings = defineOperation({
  ...shared,
  name: "list_business_onboardings",
  summary: "Lists the onboardings of a business, page by page.",
  path: "/businesses/{fp_bid}/onboardings",
  params: { path: z.strictObject({ fp_bid: pathId }), query: onboardingListQuery },
});
