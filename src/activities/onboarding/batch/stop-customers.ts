import { mapConcurrent } from "../../../domain/concurrent-work.js";
import { isRight } from "../../../domain/onboarding/frozen-row.js";
import { CUSTOMER_SIGNALS } from "../../../domain/onboarding/messages.js";
import { withHeartbeat } from "../../heartbeat.js";
import type { OnboardingDependencies } from "../dependencies.js";
import { type CustomerNamespace, signalCustomer } from "./customer-workflows.js";

const ASKED_AT_ONCE = 8;

interface StopCustomersInput extends CustomerNamespace {
  readonly batchId: string;
  /** Rows `[from, to)` of the file. */
  readonly from: number;
  readonly to: number;
}

/** Stops the customers of a cancelled batch that are still waited for; what is posted keeps its last status. */
export async function stopCustomers(deps: OnboardingDependencies, input: StopCustomersInput): Promise<void> {
  await withHeartbeat(async () => {
    const rows = await deps.batches.rows(input.batchId, input.from, input.to);
    await mapConcurrent(ASKED_AT_ONCE, rows.filter(isRight), ({ identityHash }) =>
      signalCustomer(input, identityHash, CUSTOMER_SIGNALS.stop, { batchId: input.batchId }),
    );
  });
}
