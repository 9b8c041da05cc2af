import type { Operation } from "../http/router.js";
import { onboardingPage, onboardingPageIndex } from "../onboarding/onboarding-page.js";
import { userOf } from "../owner.js";

/** GET /users/{fp_id}/onboardings (docs/reference/service.md, "Onboarding lists"). */
export const listUserOnboardings: Operation = {
  name: "list_user_onboardings",
  method: "GET",
  path: "/users/{fp_id}/onboardings",
  query: ["page", "page_size"],
  pageOf: onboardingPageIndex,
  handle: (call) => onboardingPage(call, userOf(call).fpId),
};
