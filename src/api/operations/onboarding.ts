import { strictObject } from "../schemas/fields.js";
import { onboardingSchema } from "../schemas/onboarding.js";
import { noQuery, pathId } from "../schemas/parameters.js";
import { defineRead } from "./operation.js";

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
  answer: "an object, read like the result of `create_onboarding`",
  secrets: ["continue_onboarding.token", "continue_onboarding.link"],
  notShown:
    "Request and response shape: only the id is sent; any object passes whose fields, where they belong to the onboarding result, have the right types. An answer without `status` tells nothing new.",
});
