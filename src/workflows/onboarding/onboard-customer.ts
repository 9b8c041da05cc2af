import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  continueAsNew,
  isCancellation,
} from "@temporalio/workflow";
import type { CustomerInput } from "./customer-input.js";
import { CustomerRun } from "./customer-run.js";

/**
 * Onboards one customer: prepares the vault, posts the onboarding once, then waits for the service, for the
 * customer or for a reviewer, for days if it must. It tells its batch when the row is processed, whatever
 * happens; what changes later are new versions of the outcome. Its history holds row numbers and ids of the
 * service only.
 */
export async function onboardCustomer(input: CustomerInput): Promise<void> {
  const run = new CustomerRun(input);
  let grown = false;
  try {
    grown = (await run.go()) === "long";
  } catch (error) {
    if (isCancellation(error)) await CancellationScope.nonCancellable(() => run.stop());
    else if (error instanceof ActivityFailure) await run.fail(failureOf(error));
    else throw error;
  } finally {
    if (!grown) await CancellationScope.nonCancellable(() => run.leave());
  }
  if (grown) await continueAsNew<typeof onboardCustomer>(run.next());
}

function failureOf({ cause, message }: ActivityFailure): { error_class: string; error_message: string } {
  if (!(cause instanceof ApplicationFailure))
    return { error_class: "ActivityFailure", error_message: message };
  return { error_class: cause.type ?? "Error", error_message: cause.message };
}
