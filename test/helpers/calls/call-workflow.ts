import { isCancellation } from "@temporalio/workflow";
import type { CallName } from "../../../src/activities/calls/create-call-activities.js";
import type { CallInput } from "../../../src/activities/calls/make-call.js";
import { serviceCalls } from "../../../src/workflows/calls/service-calls.js";

/** What became of one call: its result, or the type of its failure. */
export type CallEnd = { readonly result: unknown } | { readonly failed: string };

/** Makes calls side by side, each as the activity of its operation. */
export async function makeCalls(calls: readonly (readonly [CallName, CallInput])[]): Promise<CallEnd[]> {
  return Promise.all(
    calls.map(async ([name, input]): Promise<CallEnd> => {
      try {
        return { result: await serviceCalls[name](input) };
      } catch (error) {
        if (isCancellation(error)) throw error;
        const { cause } = error as { cause?: { type?: string } };
        return { failed: cause?.type ?? String(error) };
      }
    }),
  );
}
