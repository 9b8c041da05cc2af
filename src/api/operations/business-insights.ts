import { businessInsightsSchema } from "../schemas/business-insights.js";
import { strictObject } from "../schemas/fields.js";
import { noQuery, pathId } from "../schemas/parameters.js";
import { defineRead } from "./operation.js";

/** GET /businesses/{fp_bid}/onboardings/{onboarding_id}/details (docs/reference/service.md, "Business insights"). */
export const getBusinessInsights = defineRead({
  name: "get_business_insights",
  part: "businesses",
  summary: "Reads the findings of a business's verification.",
  path: "/businesses/{fp_bid}/onboardings/{onboarding_id}/details",
  params: { path: strictObject({ fp_bid: pathId, onboarding_id: pathId }), query: noQuery },
  response: businessInsightsSchema,
  answer: "`{addresses, details?, names, people, registrations, watchlist?}`",
  exactNumbers: true,
  secrets: ["details.tin.tin"],
});
