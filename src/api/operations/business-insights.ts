import { z } from "zod";
import { businessInsightsSchema } from "../schemas/business-insights.js";
import { noQuery, pathId } from "../schemas/parameters.js";
import { defineOperation } from "./operation.js";

/** GET /businesses/{fp_bid}/onboardings/{onboarding_id}/details (docs/reference/service.md, "Business insights"). */
export const getBusinessInsights = defineOperation({
  name: "get_business_insights",
  part: "businesses",
  summary: "Reads what the verification of a business found.",
  method: "GET",
  path: "/businesses/{fp_bid}/onboardings/{onboarding_id}/details",
  params: { path: z.strictObject({ fp_bid: pathId, onboarding_id: pathId }), query: noQuery },
  response: businessInsightsSchema,
  auth: "secret_key",
  idempotent: true,
  lostAnswer: "A read: asked again.",
  answer: "`{addresses, details?, names, people, registrations, watchlist?}`",
  secrets: ["details.tin.tin"],
});
