import { nonBlankText } from "../schemas/body-fields.js";
import { strictObject } from "../schemas/fields.js";
import { onboardingPageSchema, onboardingSchema, sessionSchema } from "../schemas/onboarding.js";
import { noPath, noQuery, onboardingListQuery, pathId } from "../schemas/parameters.js";
import { defineOperation, defineRead } from "./operation.js";

/**
 * GET /onboardings/{id} (docs/reference/service.md, "Onboarding lookup"): the shape of its answer isn't shown,
 * see `onboardingSchema`.
 */
export const getOnboarding = defineRead({
  name: "get_onboarding",
  part: "onboarding",
  summary: "Reads the status of an onboarding that was created through the API.",
  path: "/onboardings/{id}",
  params: { path: strictObject({ id: pathId }), query: noQuery },
  response: onboardingSchema,
  names: [{ field: "id", parameter: "path.id" }],
  answer: "an object, read like the result of `create_onboarding`",
  secrets: ["continue_onboarding.token", "continue_onboarding.link"],
  notShown:
    "Request and response shape: only the id is sent; any object passes whose fields, where they belong to the onboarding result, have the right types. An answer without `status` tells nothing new.",
});

const shared = {
  part: "onboarding",
  response: onboardingPageSchema,
  list: { style: "next_page", rows: "data", id: "id" },
  answer: "`{data: [{id, external_id?, playbook_key, status, timestamp}], meta: {next_page?}}`",
  notShown:
    "Default and maximum of `page_size`: any positive integer is sent. The number of the first page: it is requested by leaving `page` out. If `meta` or `next_page` is missing or null, the page is the last one; a `next_page` that was read already, or after the thousandth page, is a `SchemaError`.",
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

/** POST /onboarding/session/validate (docs/reference/service.md, "Session validation"). */
export const validateSession = defineOperation({
  name: "validate_session",
  part: "onboarding",
  summary: "Identifies who finished a flow, by the token of the client SDK's callback.",
  method: "POST",
  path: "/onboarding/session/validate",
  params: {
    path: noPath,
    query: noQuery,
    body: strictObject({
      validation_token: nonBlankText.describe("the token of the SDK's callback; a secret"),
    }),
  },
  response: sessionSchema,
  auth: "secret_key",
  idempotent: true,
  lostAnswer: "It changes nothing: sent again.",
  answer: "`{user?, business?, bank_link?, user_auth?}`",
  notShown:
    "Whether a token can be validated twice: if the second request is refused, that is a `RejectedError`.",
});
