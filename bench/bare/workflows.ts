import {
  condition,
  defineSignal,
  proxyActivities,
  setHandler,
  startChild,
  workflowInfo,
} from "@temporalio/workflow";
import type { BareActivities } from "./bare-process.js";

const { call } = proxyActivities<BareActivities>({ startToCloseTimeout: "1m" });

/** What comes from outside to each customer. */
export const settled = defineSignal("settled");

/** One activity and one signal: the least that an onboarding is. */
export async function bareCustomer(): Promise<void> {
  let isSettled = false;
  setHandler(settled, () => {
    isSettled = true;
  });
  await call(workflowInfo().workflowId);
  await condition(() => isSettled);
}

/** Keeps so many customers going until all have been. */
export async function bareBatch({ customers, window }: { customers: number; window: number }): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < customers) {
      next += 1;
      const customer = await startChild(bareCustomer, { workflowId: `customer-${next}` });
      await customer.result();
    }
  };
  await Promise.all(Array.from({ length: window }, lane));
}
