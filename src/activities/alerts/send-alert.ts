import { ApplicationFailure, cancellationSignal } from "@temporalio/activity";
import { Webhook } from "standardwebhooks";
import { type AlertMessage, alertBody, messageId } from "../../domain/alerts/alert-message.js";
import { parseRetryAfter } from "../../domain/service/pace/retry-after.js";
import { sealedTargets } from "../../intake/alerts/check.js";
import { alertEvent, pendingMessages, recordDelivery } from "../../lake/alerts/alert-log.js";
import { newestRoot } from "../../lake/root/lake-root.js";
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
  const body = alertBody(event, await newestRoot(lake), targets.board);
  if (message.target === "webhook") {
    return postAlert(targets.webhook ?? "", messageId(event), body, alertSecret, cancellationSignal());
  }
  const end = await commandEnd(targets.command ?? "", body, cancellationSignal());
  if (end !== 0) throw new AlertDeliveryError(`the command for alerts ended with ${end}`);
}

/**
 * Posts an alert and judges the status alone: a receiver's body may have no end, so it is not read.
 *
 * @throws AlertDeliveryError when the receiver did not take it; the signal's reason when aborted.
 */
export async function postAlert(
  address: string,
  id: string,
  body: object,
  secret: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  const { origin } = new URL(address);
  // Not AbortSignal.timeout: `any` holds it weakly, so that it may never fire.
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), ANSWER_WITHIN_MS);
  const either = AbortSignal.any([signal, late.signal]);
  const request = {
    ...requestOf(id, body, secret),
    method: "POST",
    redirect: "manual",
    signal: either,
  } as const;
  const response = await fetch(address, request)
    .catch((error: Error) => {
      signal.throwIfAborted();
      // What fetch throws may quote the address, which is a secret.
      const { code } = (error.cause ?? {}) as { code?: unknown };
      const why = typeof code === "string" ? ` (${code})` : "";
      throw new AlertDeliveryError(`the webhook for alerts at ${origin} did not answer${why}`);
    })
    .finally(() => clearTimeout(timer));
  await response.body?.cancel().catch(() => undefined);
  if (response.ok) return;
  const message = `the webhook for alerts at ${origin} answered ${response.status}`;
  const wait = parseRetryAfter(response.headers.get("retry-after") ?? undefined, Date.now());
  if (wait === undefined) throw new AlertDeliveryError(message);
  throw ApplicationFailure.create({ type: "AlertDeliveryError", message, nextRetryDelay: wait });
}

function requestOf(id: string, message: object, secret: string | undefined) {
  const body = JSON.stringify(message);
  const now = new Date();
  const headers: Record<string, string> = {
    "content-type": "application/json",
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(now.getTime() / 1_000)),
  };
  if (secret !== undefined) headers["webhook-signature"] = new Webhook(secret).sign(id, now, body);
  return { body, headers };
}

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
