import { Context } from "@temporalio/activity";
import { type CustomersToStop, signalStop } from "../../../intake/onboarding/stop-customers.js";
import type { OnboardingDependencies } from "../dependencies.js";

/** Stops the customers of a cancelled batch that still wait. */
export function stopCustomers({ batches }: OnboardingDependencies, input: CustomersToStop): Promise<void> {
  return signalStop(Context.current().client, batches, input);
}
