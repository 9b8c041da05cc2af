import { z } from "zod";
import { onboardingSchema } from "../schemas/onboarding.js";
import { noQuery, pathId } from "../schemas/parameters.js";
import { defineOperation } from "./operation.js";

/**
 * GET /onboardings/{id} (docs/reference/service.md, "Onboarding lookup"): the shape of its answer isn't shown,
 * see `onboardingSchema`.
 */
export const getOnboarding = defineOperation({
  name: "get_onboarding",
  part: "onboarding",
  summary: "Reads the status of an onboarding that was created through the API.",
  method: "GET",
  path: "/onboardings/{id}",
  params: { path: z.strictObject({ id: pathId }), query: noQuery },
  response: onboardingSchema,
  auth: "secret_key",
  idempotent: true,
  lostAnswer: "A read: asked again.",
  answer: "an object, read as the result of `create_onboarding`",
  secrets: ["continue_onboarding.token", "continue_onboarding.link"],
  notShown:
    "Request and response shape: nothing but the id is sent; any object passes in which the fields of the onboarding result, where they are there, are of their kinds. An answer without `status` says nothing new.",
});
