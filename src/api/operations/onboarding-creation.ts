import { z } from "zod";
import { onboardingExternalIdProblem } from "../../domain/service/external-id.js";
import { parsePlaybookKey } from "../../domain/service/playbook-key.js";
import { jsonObject, ruled, saidText } from "../schemas/body-fields.js";
import { onboardingResultSchema } from "../schemas/onboarding.js";
import { noPath, noQuery } from "../schemas/parameters.js";
import { defineOperation } from "./operation.js";

const body = z
  .strictObject(
    {
      key: ruled(z.string("not text"), (text) =>
        parsePlaybookKey(text) === undefined ? "not a playbook key" : undefined,
      ).describe("a playbook key, with a version tag if you like: pb_1 or pb_1:v3"),
      fp_id: saidText
        .optional()
        .describe("fp_id of the user or fp_bid of the business; not with external_id"),
      external_id: ruled(z.string("not text"), onboardingExternalIdProblem)
        .optional()
        .describe(
          "your own id of the user or business, without white space; not with fp_id; also the idempotency id",
        ),
      prerequisite_data: jsonObject
        .optional()
        .describe(
          "an object of JSON values, each of the kind that the playbook declares; keys that it doesn't list are discarded there",
        ),
      synchronous_timeout_secs: z
        .int("not an integer")
        .min(1, "less than 1")
        .max(30, "more than 30")
        .optional()
        .describe("an integer from 1 to 30, seconds; left out, the result comes by webhook"),
    },
    "not an object",
  )
  .superRefine(({ fp_id, external_id }, context) => {
    if (fp_id !== undefined && external_id !== undefined) {
      context.addIssue({ code: "custom", path: ["external_id"], message: "given together with fp_id" });
    }
    if (fp_id === undefined && external_id === undefined) {
      context.addIssue({ code: "custom", path: ["fp_id"], message: "missing, and so is external_id" });
    }
  });

/** POST /onboardings (docs/reference/service.md, "Onboarding creation"): runs a playbook on a user or business. */
export const createOnboarding = defineOperation({
  name: "create_onboarding",
  part: "onboarding",
  summary: "Runs a playbook on a user or a business that is there.",
  method: "POST",
  path: "/onboardings",
  params: { path: noPath, query: noQuery, body },
  response: onboardingResultSchema,
  // The service may take as long as it was asked to wait; the usual limit stands beside it.
  patienceMs: (request) => {
    const { synchronous_timeout_secs = 0 } = request.body as { synchronous_timeout_secs?: number };
    return synchronous_timeout_secs * 1000;
  },
  auth: "secret_key",
  idempotent: false,
  lostAnswer:
    "With `external_id`, the service's own idempotency id, it is sent again unchanged and gives the same onboarding. With `fp_id`, `list_user_onboardings` or `list_business_onboardings` is read first: an onboarding of that playbook made since the request, by the service's clock, is the answer, and `get_onboarding` says what became of it; only without one it is sent again.",
  answer:
    "`{id, status, requires_manual_review, output?, error_message?, continue_onboarding?: {expires_at, link, token}}`",
  secrets: ["continue_onboarding.token", "continue_onboarding.link"],
  notShown:
    "The shape of `output`: any object. A `status` that the document doesn't name passes as it is. Which characters a user's `external_id` may have: any but white space and control characters.",
});
