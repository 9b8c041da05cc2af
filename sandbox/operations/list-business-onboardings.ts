import type { Operation } from "../http/router.js";
import { onboardingPage, onboardingPageIndex } from "../onboarding/onboarding-page.js";
import { businessOf } from "../owner.js";

/** GET /businesses/{fp_bid}/onboardings (docs/reference/service.md, "Onboarding lists"). */
export const listBusinessOnboardings: Operation = {
  name: "list_business_onboardings",
  method: "GET",
  path: "/businesses/{fp_bid}/onboardings",
  query: ["page", "page_size"],
  pageOf: onboardingPageIndex,
  handle: (call) => onboardingPage(call, businessOf(call).id),
};
