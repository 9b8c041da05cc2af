/** An event's payload; the shapes of seven of the kinds are not shown (docs/reference/service.md, "Webhook events"). */
export type EventPayload = Readonly<Record<string, unknown>>;

/** One try to bring a message to an endpoint. */
interface DeliveryAttempt {
  readonly endpoint: string;
  /** Real time, milliseconds since 1970. */
  readonly at: number;
  /** The endpoint's status, or the code of what went wrong. */
  readonly result: number | string;
}

/** A webhook and what became of it. */
export interface WebhookMessage {
  /** Sent as `webhook-id`; the same for every attempt and copy. */
  readonly id: string;
  readonly event_kind: string;
  readonly fp_id: string | undefined;
  readonly at: string;
  readonly payload: EventPayload;
  state: "waiting" | "lost" | "no_endpoint" | "delivered" | "failed";
  readonly attempts: DeliveryAttempt[];
}

/** Which messages are meant; all that is given must be equal. */
export type MessageFilter = Partial<Pick<WebhookMessage, "id" | "event_kind" | "fp_id" | "state">>;
