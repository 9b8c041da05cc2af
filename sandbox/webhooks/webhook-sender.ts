import { createHmac } from "node:crypto";
import { Agent } from "node:http";
import type { Clock } from "../clock.js";
import { type Endpoint, post } from "./endpoint.js";
import type { WebhookMessage } from "./event.js";

/** What is wrong, on purpose, with the first attempt of a delivery. */
interface DeliveryChanges {
  readonly forged: boolean;
  /** How far back its timestamp lies. */
  readonly ageSeconds: number;
}

const UNCHANGED: DeliveryChanges = { forged: false, ageSeconds: 0 };

/** Posts signed messages to endpoints, in each one's lanes, and retries those not answered with 2xx. */
export class WebhookSender {
  readonly #agent = new Agent({ keepAlive: true });
  #onTheWay = 0;
  #closed = false;
  #waiting: (() => void)[] = [];

  constructor(
    private readonly clock: Clock,
    private readonly retryMs: readonly number[],
    private readonly timeoutMs: number,
    private readonly headerPrefix: "webhook" | "svix",
  ) {}

  send(message: WebhookMessage, endpoint: Endpoint, changes: DeliveryChanges, attempt = 0): void {
    this.#onTheWay++;
    const lane = (endpoint.lanes.shift() ?? Promise.resolve()).then(async () => {
      await this.#attempt(message, endpoint, changes, attempt);
      this.#onTheWay--;
      if (this.#onTheWay > 0) return;
      for (const resolve of this.#waiting) resolve();
      this.#waiting = [];
    });
    endpoint.lanes.push(lane);
  }

  settled(): Promise<void> {
    if (this.#onTheWay === 0) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  close(): void {
    this.#closed = true;
    this.#agent.destroy();
  }

  async #attempt(message: WebhookMessage, endpoint: Endpoint, changes: DeliveryChanges, attempt: number) {
    if (this.#closed) return;
    const body = JSON.stringify(message.payload);
    const signed = Object.entries(signedHeaders(message.id, endpoint.secrets, body, changes));
    const headers = Object.fromEntries(signed.map(([part, text]) => [`${this.headerPrefix}-${part}`, text]));
    const at = Date.now();
    const result = await post(this.#agent, endpoint.url, headers, body, this.timeoutMs);
    message.attempts.push({ endpoint: endpoint.id, at, result });
    if (typeof result === "number" && result >= 200 && result < 300) {
      message.state = "delivered";
      return;
    }
    const wait = this.retryMs[attempt];
    if (wait === undefined) {
      if (message.state !== "delivered") message.state = "failed";
      return;
    }
    this.clock.after(wait, () => this.send(message, endpoint, UNCHANGED, attempt + 1));
  }
}

/**
 * Signs as Standard Webhooks do: HMAC-SHA256 of `<id>.<timestamp>.<body>` by the bytes of each `whsec_<base64>`. In real
 * time, not the stand-in's: the receiver compares the timestamp with its own clock.
 */
function signedHeaders(
  id: string,
  secrets: readonly string[],
  body: string,
  { forged, ageSeconds }: DeliveryChanges,
): Record<string, string> {
  const timestamp = Math.floor(Date.now() / 1000) - ageSeconds;
  const signed = `${id}.${timestamp}.${forged ? `${body} ` : body}`;
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice("whsec_".length), "base64");
    return `v1,${createHmac("sha256", key).update(signed).digest("base64")}`;
  });
  return {
    id,
    timestamp: String(timestamp),
    signature: signatures.join(" "),
  };
}
