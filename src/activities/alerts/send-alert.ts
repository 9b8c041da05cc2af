import { ApplicationFailure, cancellationSignal } from "@temporalio/activity";
import { Webhook } from "standardwebhooks";
import { type AlertMessage, alertBody, messageId } from "../../domain/alerts/alert-message.js";
import type { AlertEvent } from "../../domain/alerts/cause.js";
import { parseRetryAfter } from "../../domain/service/retry-after.js";
import { sealedTargets } from "../../intake/alerts/sealed-targets.js";
import { alertEvent } from "../../lake/alerts/alert-log.js";
import { commandEnd } from "../command-end.js";
import type { AlertDependencies } from "./check-alerts.js";

interface SendAlertInput extends AlertMessage {
  /** Name under which the targets are kept, sealed. */
  readonly targets: string;
}

const ANSWER_WITHIN_MS = 15_000;

/** Thrown when a command or a webhook did not take an alert; Temporal tries again. */
class AlertDeliveryError extends Error {
  override readonly name = "AlertDeliveryError";
}

/**
 * Sends one message to its target.
 *
 * @throws AlertDeliveryError when the target did not take it.
 */
export async function sendAlert(
  { lake, sealed, alertSecret }: AlertDependencies,
  { targets: name, ...message }: SendAlertInput,
): Promise<void> {
  const targets = await sealedTargets(sealed, name);
  const event = await alertEvent(lake, message);
  if (event === undefined) return;
  if (message.target === "webhook") return post(targets.webhook ?? "", event, alertSecret);
  const end = await commandEnd(targets.command ?? "", alertBody(event), cancellationSignal());
  if (end !== 0) throw new AlertDeliveryError(`the command for alerts ended with ${end}`);
}

async function post(address: string, event: AlertEvent, secret: string | undefined): Promise<void> {
  const { origin } = new URL(address);
  // Used below, so that it is not collected: `any` holds its sources weakly, and a collected limit never fires.
  const limit = AbortSignal.timeout(ANSWER_WITHIN_MS);
  const signal = AbortSignal.any([cancellationSignal(), limit]);
  const request = { ...requestOf(event, secret), method: "POST", redirect: "manual", signal } as const;
  const response = await fetch(address, request).catch((error: Error) => {
    cancellationSignal().throwIfAborted();
    // What fetch throws may quote the address, which is a secret.
    const { code } = (error.cause ?? {}) as { code?: unknown };
    const why = typeof code === "string" ? ` (${code})` : "";
    throw new AlertDeliveryError(`the webhook for alerts at ${origin} did not answer${why}`);
  });
  // Nobody needs the body, but a connection can be used again only once the body was read.
  await response.arrayBuffer().catch(() => limit.throwIfAborted());
  if (response.ok) return;
  const message = `the webhook for alerts at ${origin} answered ${response.status}`;
  const wait = parseRetryAfter(response.headers.get("retry-after") ?? undefined, Date.now());
  if (wait === undefined) throw new AlertDeliveryError(message);
  throw ApplicationFailure.create({ type: "AlertDeliveryError", message, nextRetryDelay: wait });
}

function requestOf(event: AlertEvent, secret: string | undefined) {
  const body = JSON.stringify(alertBody(event));
  const id = messageId(event);
  const now = new Date();
  const headers: Record<string, string> = {
    "content-type": "application/json",
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(now.getTime() / 1_000)),
  };
  if (secret !== undefined) headers["webhook-signature"] = new Webhook(secret).sign(id, now, body);
  return { body, headers };
}
