import { okJson, Refusal } from "../http/answer.js";
import type { Operation } from "../http/router.js";
import { onboardingResult } from "../onboarding/onboarding.js";

/**
 * GET /onboardings/{id} (docs/reference/service.md, "Onboarding lookup"): its shape is not shown there; read as
 * an onboarding result.
 */
export const getOnboarding: Operation = {
  name: "get_onboarding",
  method: "GET",
  path: "/onboardings/{id}",
  handle({ params, state: { onboardings, clock } }) {
    const onboarding = onboardings.find(params.id ?? "");
    if (!onboarding) throw new Refusal(404, "not_found", "no such onboarding");
    return okJson(onboardingResult(onboarding, clock.now()));
  },
};
