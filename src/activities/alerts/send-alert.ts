import { ApplicationFailure, cancellationSignal } from "@temporalio/activity";
import { Webhook } from "standardwebhooks";
import {
  type AlertEvent,
  type AlertMessage,
  alertBody,
  messageId,
} from "../../domain/alerts/alert-message.js";
import { parseRetryAfter } from "../../domain/service/retry-after.js";
import { sealedTargets } from "../../intake/alerts/sealed-targets.js";
import { alertEvent } from "../../lake/alerts/alert-log.js";
import { commandEnd } from "../command-end.js";
import { withHeartbeat } from "../heartbeat.js";
import type { AlertDependencies } from "./dependencies.js";

interface SendAlertInput extends AlertMessage {
  /** Name of the sealed targets. */
  readonly targets: string;
}

const ANSWER_WITHIN_MS = 15_000;

/** Thrown when a command or a webhook did not take an alert; it is tried again. */
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
  await withHeartbeat(async () => {
    const targets = await sealedTargets(sealed, name);
    const event = await alertEvent(lake, message);
    if (event === undefined) return;
    if (message.target === "command") await handOver(targets.command ?? "", event);
    else await post(targets.webhook ?? "", event, alertSecret);
  });
}

async function handOver(command: string, event: AlertEvent): Promise<void> {
  const end = await commandEnd(command, alertBody(event), cancellationSignal());
  if (end !== 0) throw new AlertDeliveryError(`the command for alerts ended with ${end}`);
}

async function post(address: string, event: AlertEvent, secret: string | undefined): Promise<void> {
  const { origin } = new URL(address);
  const response = await answerOf(address, origin, event, secret);
  // What it says is of no use, but the connection is.
  await response.arrayBuffer().catch(() => undefined);
  if (response.ok) return;
  const message = `the webhook for alerts at ${origin} answered ${response.status}`;
  const wait = parseRetryAfter(response.headers.get("retry-after") ?? undefined, Date.now());
  if (wait === undefined) throw new AlertDeliveryError(message);
  throw ApplicationFailure.create({ type: "AlertDeliveryError", message, nextRetryDelay: wait });
}

async function answerOf(
  address: string,
  origin: string,
  event: AlertEvent,
  secret: string | undefined,
): Promise<Response> {
  const body = JSON.stringify(alertBody(event));
  const id = messageId(event);
  const now = new Date();
  const signed: Record<string, string> =
    secret === undefined ? {} : { "webhook-signature": new Webhook(secret).sign(id, now, body) };
  const timestamp = String(Math.floor(now.getTime() / 1_000));
  const signal = AbortSignal.any([cancellationSignal(), AbortSignal.timeout(ANSWER_WITHIN_MS)]);
  try {
    return await fetch(address, {
      method: "POST",
      body,
      headers: {
        "content-type": "application/json",
        "webhook-id": id,
        "webhook-timestamp": timestamp,
        ...signed,
      },
      redirect: "manual",
      signal,
    });
  } catch (error) {
    cancellationSignal().throwIfAborted();
    // What fetch throws may quote the address, which is a secret.
    const { code } = ((error as Error).cause ?? {}) as { code?: unknown };
    const why = typeof code === "string" ? ` (${code})` : "";
    throw new AlertDeliveryError(`the webhook for alerts at ${origin} did not answer${why}`);
  }
}
