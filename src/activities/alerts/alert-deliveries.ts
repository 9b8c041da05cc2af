import type { AlertMessage } from "../../domain/alerts/alert-message.js";
import { pendingMessages, recordDelivery } from "../../lake/alerts/alert-log.js";
import type { AlertDependencies } from "./check-alerts.js";

/** The next message of an alert that a target was not told yet; null for none. */
export async function nextAlertMessage(
  { lake }: AlertDependencies,
  { alertId, target }: Pick<AlertMessage, "alertId" | "target">,
): Promise<AlertMessage | null> {
  const pending = await pendingMessages(lake);
  return pending.find((message) => message.alertId === alertId && message.target === target) ?? null;
}

/** Records what became of a message, once; `failure` says why it was given up. */
export async function recordAlertDelivery(
  { lake, log }: AlertDependencies,
  { message, failure }: { readonly message: AlertMessage; readonly failure: string | null },
): Promise<void> {
  const { alertId, state, target } = message;
  if (failure !== null)
    log.error({ alert: alertId, state, target }, `an alert was not delivered: ${failure}`);
  await recordDelivery(lake, message, failure);
}
