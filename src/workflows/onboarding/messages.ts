import { defineQuery, defineSignal } from "@temporalio/workflow";
import type { CustomerReport } from "../../domain/onboarding/batch/batch-rows.js";
import {
  BATCH_PROGRESS,
  BATCH_SIGNALS,
  type BatchProgress,
  CUSTOMER_SIGNALS,
  type CustomerEvent,
  type SessionValidated,
  type StopRequest,
  type WaitRequest,
} from "../../domain/onboarding/messages.js";

export const customerEvent = defineSignal<[CustomerEvent]>(CUSTOMER_SIGNALS.event);
/** Says that the customer finished the flow and the session was validated. */
export const sessionValidated = defineSignal<[SessionValidated]>(CUSTOMER_SIGNALS.validated);
export const watchCustomer = defineSignal<[WaitRequest]>(CUSTOMER_SIGNALS.watch);
export const stopCustomer = defineSignal<[StopRequest]>(CUSTOMER_SIGNALS.stop);

export const customerReported = defineSignal<[CustomerReport]>(BATCH_SIGNALS.reported);
export const pauseBatch = defineSignal(BATCH_SIGNALS.pause);
export const resumeBatch = defineSignal(BATCH_SIGNALS.resume);
export const cancelBatch = defineSignal(BATCH_SIGNALS.cancel);
/** Says how many rows of the file may run from now on. */
export const raiseLimit = defineSignal<[number]>(BATCH_SIGNALS.raiseLimit);
export const batchProgress = defineQuery<BatchProgress>(BATCH_PROGRESS);
