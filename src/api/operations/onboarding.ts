import { onboardingExternalIdProblem } from "../../domain/service/external-id.js";
import { parsePlaybookKey } from "../../domain/service/playbook-key.js";
import { jsonObject, nonBlankText, ruled } from "../schemas/body-fields.js";
import { anyText, integer, strictObject } from "../schemas/fields.js";
import {
  onboardingPageSchema,
  onboardingResultSchema,
  onboardingSchema,
  sessionSchema,
} from "../schemas/onboarding.js";
import { ids, onboardingListQuery } from "../schemas/parameters.js";
import { defineOperation, defineRead } from "./operation.js";

/** docs/reference/service.md, "Onboarding lookup". */
export const getOnboarding = defineRead({
  name: "get_onboarding",
  part: "onboarding",
  summary: "Reads the status of an onboarding that was created through the API.",
  path: "/onboardings/{id}",
  params: ids("id"),
  response: onboardingSchema,
  exactNumbers: "by value",
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

/** docs/reference/service.md, "Onboarding lists", one page. */
export const listUserOnboardings = defineRead({
  ...shared,
  name: "list_user_onboardings",
  summary: "Lists the onboardings of a user, page by page.",
  path: "/users/{fp_id}/onboardings",
  params: { ...ids("fp_id"), query: onboardingListQuery },
});

/** docs/reference/service.md, "Onboarding lists", one page. */
export const listBusinessOnboardings = defineRead({
  ...shared,
  name: "list_business_onboardings",
  summary: "Lists the onboardings of a business, page by page.",
  path: "/businesses/{fp_bid}/onboardings",
  params: { ...ids("fp_bid"), query: onboardingListQuery },
});

/** docs/reference/service.md, "Session validation". */
export const validateSession = defineOperation({
  name: "validate_session",
  part: "onboarding",
  summary: "Identifies who finished a flow, by the token of the client SDK's callback.",
  method: "POST",
  path: "/onboarding/session/validate",
  params: {
    ...ids(),
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

const body = strictObject({
  key: ruled(anyText, (text) =>
    parsePlaybookKey(text) === undefined ? "not a playbook key" : undefined,
  ).describe("a playbook key, with or without a version: pb_1 or pb_1:v3"),
  fp_id: nonBlankText
    .optional()
    .describe("fp_id of the user or fp_bid of the business; not with external_id"),
  external_id: ruled(anyText, (text) => onboardingExternalIdProblem(text)?.rule)
    .optional()
    .describe(
      "your own id of the user or business, without white space; not with fp_id; also the idempotency id",
    ),
  prerequisite_data: jsonObject
    .optional()
    .describe(
      "an object of JSON values, each of the type that the playbook declares; the service discards keys that the playbook does not list",
    ),
  synchronous_timeout_secs: integer
    .min(1, "less than 1")
    .max(30, "more than 30")
    .optional()
    .describe("an integer from 1 to 30, seconds; left out, the result comes by webhook"),
}).superRefine(({ fp_id, external_id }, context) => {
  if (fp_id !== undefined && external_id !== undefined) {
    context.addIssue({ code: "custom", path: ["external_id"], message: "given together with fp_id" });
  }
  if (fp_id === undefined && external_id === undefined) {
    context.addIssue({ code: "custom", path: ["fp_id"], message: "missing, and so is external_id" });
  }
});

/** docs/reference/service.md, "Onboarding creation": runs a playbook on a user or business. */
export const createOnboarding = defineOperation({
  name: "create_onboarding",
  part: "onboarding",
  summary: "Runs a playbook on an existing user or business.",
  method: "POST",
  path: "/onboardings",
  params: { ...ids(), body },
  response: onboardingResultSchema,
  exactNumbers: "by value",
  // The service may take as long as it was asked to wait.
  extraTimeoutMs: (request) => {
    const { synchronous_timeout_secs = 0 } = request.body as { synchronous_timeout_secs?: number };
    return synchronous_timeout_secs * 1000;
  },
  auth: "secret_key",
  idempotent: false,
  lostAnswer:
    "With `external_id`, the service's own idempotency id, it is sent again unchanged and returns the same onboarding. With `fp_id`, `list_user_onboardings` or `list_business_onboardings` is read first: an onboarding of that playbook created after the request, by the service's clock, is the answer, and `get_onboarding` reads its result. If there is none, the request is sent again only where a list of the service has shown an onboarding that had not ended; otherwise it is looked for for an hour, and then its fate is unknown.",
  answer:
    "`{id, status, requires_manual_review, output?, error_message?, continue_onboarding?: {expires_at, link, token}}`",
  secrets: ["continue_onboarding.token", "continue_onboarding.link"],
  notShown:
    "The shape of `output`: any object. A `status` that the document doesn't name is accepted as it is. Which characters a user's `external_id` may have: any but white space and control characters.",
});
