import { getExternalWorkflowHandle, isCancellation } from "@temporalio/workflow";
import type { CustomerReport } from "../../domain/onboarding/batch/batch-rows.js";
import { customerReported } from "./messages.js";

/** Reports to a batch; it may have ended, and then nobody waits for the report. */
export async function reportTo(batchWorkflowId: string, report: CustomerReport): Promise<void> {
  try {
    await getExternalWorkflowHandle(batchWorkflowId).signal(customerReported, report);
  } catch (error) {
    if (isCancellation(error)) throw error;
  }
}
