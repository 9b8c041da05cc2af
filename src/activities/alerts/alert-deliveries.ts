import type { AlertMessage } from "../../domain/alerts/alert-message.js";
import { pendingMessages, recordDelivery } from "../../lake/alerts/alert-log.js";
import { withHeartbeat } from "../heartbeat.js";
import type { AlertDependencies } from "./check-alerts.js";

/** Finds the next message of an alert that a target has not been sent; null for none. */
export function nextAlertMessage(
  { lake }: AlertDependencies,
  { alertId, target }: Pick<AlertMessage, "alertId" | "target">,
): Promise<AlertMessage | null> {
  return withHeartbeat(async () => {
    const pending = await pendingMessages(lake);
    return pending.find((message) => message.alertId === alertId && message.target === target) ?? null;
  });
}

interface RecordDeliveryInput {
  readonly message: AlertMessage;
  /** Why it was given up; null for one that was delivered. */
  readonly failure: string | null;
}

/** Records what became of a message, once. */
export async function recordAlertDelivery(
  { lake, log }: AlertDependencies,
  { message, failure }: RecordDeliveryInput,
): Promise<void> {
  const { alertId, state, target } = message;
  if (failure !== null)
    log.error({ alert: alertId, state, target }, `an alert was not delivered: ${failure}`);
  await withHeartbeat(() => recordDelivery(lake, message, failure));
}
