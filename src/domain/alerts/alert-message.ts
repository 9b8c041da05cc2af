import type { AlertTarget } from "../alert-settings.js";
import { instantText } from "../duration.js";
import type { AlertEvent } from "./transitions.js";

export interface AlertMessage extends Pick<AlertEvent, "alertId" | "state"> {
  readonly target: AlertTarget;
}

/** The id by which a receiver recognises a message that it has already had. */
export function messageId({ alertId, state }: Pick<AlertEvent, "alertId" | "state">): string {
  return `${alertId}-${state}`;
}

/**
 * The body of an alert's message (docs/run/alerts.md, "What is delivered"): Slack, Mattermost and Rocket.Chat show
 * `text`, Discord shows `content`, and programs read `alert`.
 *
 * @param lakeRoot the lake's newest root
 * @param board where people open the board
 */
export function alertBody(event: AlertEvent, lakeRoot: string | null, board?: string): object {
  const { alertId, rule, subject, state, message, action, runId } = event;
  const at = instantText(event.at);
  const link = board === undefined ? null : linkOf(event, board);
  const words = [textOf(event), ...(link === null ? [] : [link])].join("\n");
  return {
    id: messageId(event),
    type: `alert.${state}`,
    timestamp: at,
    text: words.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;"),
    content: words,
    alert: {
      alert_id: alertId,
      rule,
      subject,
      state,
      message,
      action,
      run_id: runId,
      at,
      lake_root: lakeRoot,
      link,
    },
  };
}

/** The board's page of what an alert is about: its run, the open bad rows, or how all is. */
function linkOf({ rule, runId }: AlertEvent, board: string): string {
  if (runId !== null) return `${board}/runs/${encodeURIComponent(runId)}`;
  return `${board}/${rule === "open-quarantine" ? "quarantine" : ""}`;
}

function textOf({ rule, state, message, action }: AlertEvent): string {
  if (state === "cleared") return `Nightledger, over (${rule}): ${message}.`;
  return `Nightledger, ${rule}: ${message}.${action === "" ? "" : `\n${action}.`}`;
}

/** Name of the workflow that delivers the messages of one alert to one target, in their order. */
export const DELIVERY_WORKFLOW = "deliverAlert";
/** Signal: asks the running workflow to look for another message. */
export const DELIVERY_SIGNAL = "deliver";

/** `alerts/<scope>/<alert>/<target>` */
export function deliveryWorkflowId(
  scope: string,
  { alertId, target }: Pick<AlertMessage, "alertId" | "target">,
): string {
  return `alerts/${scope}/${alertId}/${target}`;
}
