import { Context } from "@temporalio/activity";
import { type CustomersToStop, signalStop } from "../../../intake/onboarding/stop-customers.js";
import { withHeartbeat } from "../../heartbeat.js";
import type { OnboardingDependencies } from "../dependencies.js";

/** Stops the customers of a cancelled batch that still wait. */
export async function stopCustomers(
  { batches }: OnboardingDependencies,
  input: CustomersToStop,
): Promise<void> {
  await withHeartbeat(() => signalStop(Context.current().client, batches, input));
}
