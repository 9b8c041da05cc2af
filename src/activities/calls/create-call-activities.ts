import type { Operation } from "../../api/operations/operation.js";
import type { Dependencies } from "../dependencies.js";
import { asCallFailure } from "../failure.js";
import { bankDataCalls } from "./bank-data.js";
import { businessCalls } from "./businesses.js";
import type { CallFacts, CallPart } from "./call-part.js";
import { type CallInput, type CallResult, makeCall } from "./make-call.js";
import { onboardingCalls } from "./onboarding.js";
import { proxyAndWebhookCalls } from "./proxy-and-webhooks.js";
import { userCalls } from "./users-and-vault.js";

/** Every operation of the service as an activity, in the order of the registry. */
export const CALLS = {
  ...onboardingCalls,
  ...userCalls,
  ...businessCalls,
  ...bankDataCalls,
  ...proxyAndWebhookCalls,
};

type FactsOf<Part> = Part extends CallPart<infer _O, infer _A, infer F> ? F : never;

/** Names of the activities that make one call each. */
export type CallName = keyof typeof CALLS;

/** An activity for each operation: it takes the key of a sealed request and gives the key of the sealed answer. */
export type CallActivities = {
  readonly [N in CallName]: (input: CallInput) => Promise<CallResult<FactsOf<(typeof CALLS)[N]>>>;
};

export function createCallActivities(deps: Dependencies): CallActivities {
  const activities = Object.entries(CALLS).map(([name, part]) => {
    const general = part as unknown as CallPart<Operation, unknown, CallFacts>;
    return [name, (input: CallInput) => asCallFailure(() => makeCall(deps, general, input))];
  });
  return Object.fromEntries(activities) as CallActivities;
}
