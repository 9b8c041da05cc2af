import { BUSINESS_EXTERNAL_ID, businessExternalIdProblem } from "../../domain/service/external-id.js";
import { ruled, vaultMap } from "../schemas/body-fields.js";
import { businessInsightsSchema } from "../schemas/business-insights.js";
import { anyText, filledText, looseObject, optionalText, strictObject } from "../schemas/fields.js";
import { headerText } from "../schemas/header-fields.js";
import { ids } from "../schemas/parameters.js";
import { defineOperation, defineRead } from "./operation.js";

const externalId = ruled(anyText, (text) => businessExternalIdProblem(text)?.rule).describe(
  `your own id: ${BUSINESS_EXTERNAL_ID}`,
);

const entity = looseObject({ id: filledText, external_id: optionalText, sandbox_id: optionalText });

/** docs/reference/service.md, "Business creation". */
export const createBusiness = defineOperation({
  name: "create_business",
  part: "businesses",
  summary: "Creates a business, with initial vault data or with an id of your own.",
  method: "POST",
  path: "/businesses",
  params: {
    ...ids(),
    headers: strictObject({
      external_id: externalId.optional(),
      sandbox_id: headerText
        .optional()
        .describe("makes a sandbox entity of this id; printable ASCII text without spaces around it"),
    }),
    body: vaultMap("create_business").optional(),
  },
  headerNames: { external_id: "x-external-id", sandbox_id: "x-sandbox-id" },
  check: ({ headers, body }) => {
    const data = Object.keys((body as Record<string, unknown> | undefined) ?? {}).length;
    if (headers.external_id === undefined || data === 0) return undefined;
    return {
      field: "header option external_id",
      problem: "given together with data in the body",
      accepted: "an external id or initial data; write the data afterwards",
    };
  },
  response: entity,
  names: [
    { field: "external_id", parameter: "headers.external_id" },
    { field: "sandbox_id", parameter: "headers.sandbox_id" },
  ],
  auth: "secret_key",
  idempotent: false,
  lostAnswer:
    "With `external_id`, which is unique in the organization, it is sent again: either it is created now, or a 400 (409, 422) says that it exists already, and it is then addressed by its external id (`create_onboarding`); after any other refusal the outcome is unknown. Without `external_id` it is not sent again (`LostAnswerError`): a business without an id of yours can't be found.",
  answer: "`{id, external_id?, sandbox_id?}`",
  notShown: "The status for an `x-external-id` that is taken: any 4xx is a `RejectedError`.",
});

/** docs/reference/service.md, "Business update". */
export const updateBusiness = defineOperation({
  name: "update_business",
  part: "businesses",
  summary: "Sets your own id of a business.",
  method: "PATCH",
  path: "/businesses/{fp_bid}",
  params: {
    ...ids("fp_bid"),
    body: strictObject({ external_id: externalId.optional() }),
  },
  response: entity,
  names: [
    { field: "id", parameter: "path.fp_bid" },
    { field: "external_id", parameter: "body.external_id" },
  ],
  auth: "secret_key",
  idempotent: true,
  changes: true,
  lostAnswer:
    "No job calls it. Send it again: the same id is set once more. A 400 to the repetition may come from the first request.",
  answer: "`{id, external_id?, sandbox_id?}`",
});

/** docs/reference/service.md, "Business insights". */
export const getBusinessInsights = defineRead({
  name: "get_business_insights",
  part: "businesses",
  summary: "Reads the findings of a business's verification.",
  path: "/businesses/{fp_bid}/onboardings/{onboarding_id}/details",
  params: ids("fp_bid", "onboarding_id"),
  response: businessInsightsSchema,
  answer: "`{addresses, details?, names, people, registrations, watchlist?}`",
  exactNumbers: "as written",
  secrets: ["details.tin.tin"],
});
