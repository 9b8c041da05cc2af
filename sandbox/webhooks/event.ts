import { BANK_LINK_UPDATED, EVENT_KINDS } from "../../src/domain/service/event-kind.js";
import { ONBOARDING_STATUSES } from "../../src/domain/service/onboarding-status.js";
import { refuse } from "../http/answer.js";
import { Fields } from "../vault/fields.js";

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

const COMPLETED = [
  ...["event_kind", "fp_id", "timestamp", "status", "playbook_key", "playbook_version"],
  ...["requires_manual_review", "is_live", "onboarding_id", "external_id", "onboarding_external_id"],
];

/**
 * Checks the payload of a test webhook: a known kind; of `service.onboarding.completed` the shape that is shown.
 * @throws Refusal 400
 */
export function checkPayload(payload: EventPayload): void {
  const where = "payload";
  const known = payload.event_kind === "service.onboarding.completed" ? COMPLETED : Object.keys(payload);
  const fields = new Fields(payload, known, where);
  fields.required("event_kind");
  fields.oneOf("event_kind", EVENT_KINDS);
  if (known !== COMPLETED) return;
  for (const name of ["fp_id", "timestamp", "status", "playbook_key", "onboarding_id"]) fields.required(name);
  fields.oneOf("status", ONBOARDING_STATUSES);
  if (Number.isNaN(Date.parse(fields.required("timestamp")))) fields.refuse("timestamp", "not ISO 8601");
  for (const name of ["external_id", "onboarding_external_id"]) fields.textOrNull(name);
  fields.integer("playbook_version", 1, Number.MAX_SAFE_INTEGER) ??
    fields.refuse("playbook_version", "missing");
  for (const name of ["requires_manual_review", "is_live"])
    fields.boolean(name) ?? fields.refuse(name, "missing");
}

const OTHER_PREFIX = "acme.";

/** An event of the contract as a service with `other-prefix` sends it. */
export function behavingEvent(event: EventPayload): EventPayload {
  const { event_kind, timestamp } = event;
  const kind = String(event_kind).replace(/^service\./, OTHER_PREFIX);
  if (typeof timestamp !== "string") return { ...event, event_kind: kind };
  const nanoseconds = timestamp.replace(
    /(\.\d+)?Z$/,
    (fraction) => `.${fraction.slice(1, -1).padEnd(9, "0")}Z`,
  );
  const isLink = event_kind === BANK_LINK_UPDATED;
  return { ...event, event_kind: kind, timestamp: isLink ? nanoseconds.slice(0, -1) : nanoseconds };
}

/** The payload of a test webhook as the contract has it, where the service takes its own prefix only. @throws Refusal 400 */
export function contractEvent(payload: EventPayload): EventPayload {
  const kind = String(payload.event_kind);
  if (!kind.startsWith(OTHER_PREFIX)) refuse("payload.event_kind: not a kind of event");
  return { ...payload, event_kind: kind.replace(OTHER_PREFIX, "service.") };
}
