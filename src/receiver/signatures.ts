import type { IncomingHttpHeaders } from "node:http";
import { Webhook, WebhookVerificationError } from "standardwebhooks";
import { messageIdProblem } from "../domain/webhooks/event-facts.js";
import type { Refusal } from "../domain/webhooks/rejection.js";

const TOLERANCE_S = 5 * 60;

/** Checks messages by Standard Webhooks, whose headers begin with `webhook-`, or with `svix-` as before the standard. */
export class Signatures {
  readonly #webhooks: readonly Webhook[];

  /** @param secrets `whsec_` and base64; more than one during a rotation */
  constructor(secrets: readonly string[]) {
    this.#webhooks = secrets.map((secret) => new Webhook(secret));
  }

  check(headers: IncomingHttpHeaders, body: string): { readonly messageId: string } | Refusal {
    const [id, timestamp, signature] = ["id", "timestamp", "signature"].map(
      (part) => headers[`webhook-${part}`] ?? headers[`svix-${part}`],
    );
    if (typeof id !== "string" || typeof timestamp !== "string" || typeof signature !== "string") {
      return "headers";
    }
    if (messageIdProblem(id) !== undefined || !/^\d{1,12}$/.test(timestamp)) return "headers";
    if (Math.abs(Date.now() / 1_000 - Number(timestamp)) > TOLERANCE_S + 1) return "timestamp";
    const signed = { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signature };
    return this.#webhooks.some((webhook) => isSigned(webhook, body, signed))
      ? { messageId: id }
      : "signature";
  }
}

function isSigned(webhook: Webhook, body: string, headers: Record<string, string>): boolean {
  try {
    webhook.verify(body, headers, { jsonParse: false });
    return true;
  } catch (error) {
    if (error instanceof WebhookVerificationError) return false;
    throw error;
  }
}
