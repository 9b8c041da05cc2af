import { getOnboarding } from "../../api/operations/onboarding.js";
import { createOnboarding } from "../../api/operations/onboarding-creation.js";
import { listBusinessOnboardings, listUserOnboardings } from "../../api/operations/onboarding-lists.js";
import type { ResponseOf } from "../../api/operations/operation.js";
import { validateSession } from "../../api/operations/session.js";
import { callPart, shapedCallPart } from "./call-part.js";
import { onboardingSettlement, type StartedOnboarding } from "./onboarding-settlement.js";

function rowsOf({ data, meta }: ResponseOf<typeof listUserOnboardings>) {
  return { rows: data.length, next_page: meta?.next_page ?? null };
}

/** The operations of docs/service.md, "Onboarding", as activities. */
export const onboardingCalls = {
  createOnboarding: shapedCallPart({
    operation: createOnboarding,
    settle: ({ deps, run }, params) => onboardingSettlement(deps, params, { run }),
    send: ({ deps }, params, options): Promise<StartedOnboarding> =>
      deps.api.read(createOnboarding, params, options),
    facts: ({ id, status, requires_manual_review, output, continue_onboarding }) => ({
      onboarding_id: id,
      status,
      requires_manual_review,
      has_output: output != null,
      continues: continue_onboarding != null,
    }),
  }),
  listUserOnboardings: callPart({ operation: listUserOnboardings, facts: rowsOf }),
  listBusinessOnboardings: callPart({ operation: listBusinessOnboardings, facts: rowsOf }),
  getOnboarding: callPart({
    operation: getOnboarding,
    facts: ({ status, requires_manual_review, output, continue_onboarding }) => ({
      status: status ?? null,
      requires_manual_review: requires_manual_review ?? null,
      has_output: output != null,
      continues: continue_onboarding != null,
    }),
  }),
  validateSession: callPart({
    operation: validateSession,
    facts: ({ user, business, bank_link, user_auth }) => ({
      user_onboarding_id: user?.onboarding_id ?? null,
      user_status: user?.status ?? null,
      business_onboarding_id: business?.onboarding_id ?? null,
      business_status: business?.status ?? null,
      bank_link: bank_link != null,
      user_auth: user_auth != null,
    }),
  }),
};
