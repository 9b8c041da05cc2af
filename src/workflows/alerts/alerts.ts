import {
  ActivityFailure,
  defineSignal,
  isCancellation,
  proxyActivities,
  setHandler,
} from "@temporalio/workflow";
import type { Activities } from "../../activities/create-activities.js";
import type { AlertRules } from "../../domain/alert-settings.js";
import { type AlertMessage, DELIVERY_SIGNAL } from "../../domain/alerts/alert-message.js";
import type { RunStatus } from "../../domain/run.js";
import { ALERT_DELIVERY, HEARTBEATING } from "../policies.js";

const { nextAlertMessage, recordAlertDelivery } = proxyActivities<Activities>(HEARTBEATING);
const { sendAlert } = proxyActivities<Activities>(ALERT_DELIVERY);

interface DeliverAlertInput extends Pick<AlertMessage, "alertId" | "target"> {
  /** Name under which the targets are kept, sealed. */
  readonly targets: string;
}

/** Delivers the messages of an alert to a target in order; one that fails for about a day is given up and recorded. */
export async function deliverAlert({ alertId, target, targets }: DeliverAlertInput): Promise<void> {
  let asked = true;
  setHandler(defineSignal(DELIVERY_SIGNAL), () => {
    asked = true;
  });
  while (asked) {
    asked = false;
    for (;;) {
      const message = await nextAlertMessage({ alertId, target });
      if (message === null) break;
      await recordAlertDelivery({ message, failure: await failureOf(sendAlert({ ...message, targets })) });
    }
  }
}

/** Says why a message was given up; null where the target took it. */
async function failureOf(sent: Promise<void>): Promise<string | null> {
  try {
    await sent;
    return null;
  } catch (error) {
    if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error;
    return error.cause?.message ?? error.message;
  }
}

const { checkRules } = proxyActivities<Activities>(HEARTBEATING);

/** Judges alert rules once, as a schedule asks for. */
export async function checkAlerts(input: {
  readonly rules: AlertRules;
}): Promise<{ readonly status: RunStatus }> {
  await checkRules({ rules: input.rules });
  return { status: "completed" };
}
