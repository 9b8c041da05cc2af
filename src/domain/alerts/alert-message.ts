import type { AlertTarget, RuleName } from "../alert-settings.js";
import { instantWords } from "./span.js";

type AlertState = "raised" | "cleared";

/** A row of the table `alerts` that tells of an alert. */
export interface AlertEvent {
  readonly alertId: string;
  readonly rule: RuleName;
  readonly subject: string;
  readonly state: AlertState;
  readonly message: string;
  /** Empty for one that is over. */
  readonly action: string;
  readonly runId: string | null;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** One message to one target. */
export interface AlertMessage {
  readonly alertId: string;
  readonly state: AlertState;
  readonly target: AlertTarget;
}

/** By which a receiver knows a message again that it has had already. */
export function messageId({ alertId, state }: Pick<AlertEvent, "alertId" | "state">): string {
  return `${alertId}-${state}`;
}

/**
 * What is delivered of an alert (docs/run/alerts.md, "What is delivered"): `text` is what Slack, Mattermost and Rocket.Chat
 * show, `content` what Discord shows; programs read `alert`.
 */
export function alertBody(event: AlertEvent): object {
  const { alertId, rule, subject, state, message, action, runId, at } = event;
  const words = textOf(event);
  return {
    id: messageId(event),
    type: `alert.${state}`,
    timestamp: instantWords(at),
    text: words.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;"),
    content: words,
    alert: { alert_id: alertId, rule, subject, state, message, action, run_id: runId, at: instantWords(at) },
  };
}

function textOf({ rule, state, message, action }: AlertEvent): string {
  if (state === "cleared") return `Nightledger, over (${rule}): ${message}.`;
  return `Nightledger, ${rule}: ${message}.${action === "" ? "" : `\n${action}.`}`;
}

/** Name of the workflow that delivers the messages of one alert to one target, in their order. */
export const DELIVERY_WORKFLOW = "deliverAlert";
/** Asks it to look for a further message. */
export const DELIVERY_SIGNAL = "deliver";

/** `alerts/<scope>/<alert>/<target>` */
export function deliveryWorkflowId(
  scope: string,
  { alertId, target }: Pick<AlertMessage, "alertId" | "target">,
): string {
  return `alerts/${scope}/${alertId}/${target}`;
}
