import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  continueAsNew,
  isCancellation,
} from "@temporalio/workflow";
import type { CustomerInput } from "../../domain/onboarding/customer/customer-input.js";
import type { StepFailure } from "../../domain/onboarding/customer/customer-step.js";
import { CustomerRun } from "./customer-run.js";
import { isStagingLost } from "./staging-lost.js";

/**
 * Onboards one customer: prepares the vault, posts the onboarding once, then waits for the service, for the customer
 * or for a reviewer, for days if it must. It reports to its batch when the row is processed, whatever happens; later
 * changes are new versions of the outcome. Where the batch's staging is gone it fails without an outcome, and its
 * batch with it. Its history holds row numbers and ids of the service only.
 */
export async function onboardCustomer(input: CustomerInput): Promise<void> {
  const run = new CustomerRun(input);
  let end: "done" | "long" | "lost" = "done";
  try {
    end = await endOf(run);
  } catch (error) {
    if (isStagingLost(error)) end = "lost";
    throw error;
  } finally {
    if (end !== "long") await CancellationScope.nonCancellable(() => run.leave(end === "lost"));
  }
  if (end === "long") await continueAsNew<typeof onboardCustomer>(run.next());
}

async function endOf(run: CustomerRun): Promise<"done" | "long"> {
  try {
    return await run.run();
  } catch (error) {
    if (isCancellation(error)) await CancellationScope.nonCancellable(() => run.stop());
    else if (error instanceof ActivityFailure && !isStagingLost(error)) await run.fail(failureOf(error));
    else throw error;
    return "done";
  }
}

function failureOf({ cause, message }: ActivityFailure): StepFailure {
  if (!(cause instanceof ApplicationFailure))
    return { error_class: "ActivityFailure", error_message: message };
  return { error_class: cause.type ?? "Error", error_message: cause.message };
}
