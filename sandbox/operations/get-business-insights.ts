import { okJson, Refusal } from "../http/answer.js";
import type { Operation } from "../http/router.js";
import { businessOf } from "../owner.js";

/**
 * GET /businesses/{fp_bid}/onboardings/{onboarding_id}/details (docs/reference/service.md, "Business insights"): there
 * once the run has ended.
 */
export const getBusinessInsights: Operation = {
  name: "get_business_insights",
  method: "GET",
  path: "/businesses/{fp_bid}/onboardings/{onboarding_id}/details",
  handle(call) {
    const business = businessOf(call);
    const { onboardings, businesses } = call.state;
    const onboarding = onboardings.find(call.params.onboarding_id ?? "");
    if (onboarding?.entity_id !== business.id || onboarding.running) {
      throw new Refusal(404, "not_found", "no insights of such an onboarding");
    }
    return okJson(businesses.insights(business, onboarding.id));
  },
};
